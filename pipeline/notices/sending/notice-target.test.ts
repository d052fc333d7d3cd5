import { expect, test } from 'vitest';
import { parseTarget, shownTarget } from './notice-target.ts';

test.each([
  [' https://hooks.example.com/a?b=c ', { kind: 'url', url: 'https://hooks.example.com/a?b=c' }],
  ['http://10.0.0.7:9000/x', { kind: 'url', url: 'http://10.0.0.7:9000/x' }],
  ['mailto:ops@example.com', { kind: 'mail', to: 'ops@example.com' }],
  ['ops@example.com', { kind: 'mail', to: 'ops@example.com' }],
  ['exec:/usr/local/bin/page --to  ops', { kind: 'exec', program: '/usr/local/bin/page', args: ['--to', 'ops'] }],
])('«%s» is a target', (text, target) => {
  expect(parseTarget(text)).toEqual(target);
});

test.each(['', 'ops', 'ftp://x/y', 'https://', 'exec:page', 'exec:', 'mailto:', 'mailto:a@b?bcc=c@d', 'a@b\nBcc: c@d'])(
  '«%s» is none',
  (text) => expect(parseTarget(text)).toBeUndefined(),
);

test('what is shown of a target has no secret: neither path nor query nor password of a URL, nor arguments', () => {
  const shown = [
    'https://u:hunter2@hooks.example.com/services/T0/hunter2?token=hunter2',
    'exec:/bin/page hunter2',
    'ops@x',
  ]
    .map(parseTarget)
    .map((target) => target && shownTarget(target));
  expect(shown).toEqual(['https://hooks.example.com/…', 'exec:/bin/page', 'mailto:ops@x']);
});
