import { h } from 'preact';
import { expect, test } from 'vitest';
import { elementsIn } from '../../../test/support/site/elements.ts';
import { escapeHtml, renderPage } from './html.tsx';

const NAMES = [
  '<script>alert(1)</script>',
  `"><img src=x onerror=alert(1)>`,
  `' onload='alert(1)`,
  '</title></text></svg><b>',
  '&lt;b&gt; &amp; &#34;',
];

test.each(NAMES)('a name is text in a child, in an attribute and in a drawing, whatever it holds: %s', (name) => {
  const html = renderPage({
    title: name,
    head: h('meta', { name: 'description', content: name }),
    children: h(
      'svg',
      { 'aria-label': name },
      h('title', {}, name),
      h('text', { class: name }, [h('tspan', {}, name)]),
    ),
  });
  const elements = elementsIn(html).filter(({ name: tag }) => !['html', 'head', 'body'].includes(tag));
  expect(elements.map(({ name: tag }) => tag)).toEqual(['meta', 'title', ...META, 'svg', 'title', 'text', 'tspan']);
  const of = (tag: string) => elements.findLast((element) => element.name === tag);
  expect(elements.filter(({ name: tag }) => tag === 'title').map(({ text }) => text)).toEqual([name, name]);
  expect([of('meta')?.attributes['content'], of('svg')?.attributes['aria-label']]).toEqual([name, name]);
  expect([of('text')?.attributes['class'], of('tspan')?.text]).toEqual([name, name]);
});

/** Viewport, colour scheme and description. */
const META = ['meta', 'meta', 'meta'];

test('text that no element writes is escaped by hand', () => {
  expect(escapeHtml(`<a href="x" title='y'>&`)).toBe('&lt;a href=&#34;x&#34; title=&#39;y&#39;>&amp;');
});
