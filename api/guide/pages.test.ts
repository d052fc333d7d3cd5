import { describe, expect, test } from 'vitest';
import { prepare } from './pages.ts';
import { render } from './render.ts';

const WORDS = {
  conditions: { here: true, gone: false },
  values: { 'a.units': '500' },
  tables: { plans: '| a |\n| --- |\n| b |' },
};

describe('a text', () => {
  test.each([
    ['a\n<!-- if here -->\nb\n<!-- end -->\nc', 'a\nb\nc'],
    ['a\n<!-- if gone -->\nb\n<!-- end -->\nc', 'a\nc'],
    ['a\n<!-- if not gone -->\nb\n<!-- else -->\nc\n<!-- end -->\n', 'a\nb\n'],
    ['a\n<!-- if gone -->\nb\n<!-- else -->\nc\n<!-- end -->\n', 'a\nc\n'],
    ['a<!-- if here -->, b<!-- end -->.', 'a, b.'],
    ['a<!-- if gone -->, b<!-- else -->; c<!-- end -->.', 'a; c.'],
    ['<!-- if here -->\na<!-- if gone -->b<!-- end -->c\n<!-- end -->\n', 'ac\n'],
    ['<!-- if gone -->\na<!-- if here -->b<!-- else -->c<!-- end -->d\n<!-- end -->\ne', 'e'],
    ['{{a.units}} units', '500 units'],
    ['<!-- table plans -->', '| a |\n| --- |\n| b |'],
    ['{"a": {"b": 1}}', '{"a": {"b": 1}}'],
  ])('%j becomes %j', (text, expected) => {
    expect(prepare(text, WORDS)).toBe(expected);
  });

  test.each([
    ['{{b.units}}', 'there is no value b.units'],
    ['{{constructor}}', 'there is no value constructor'],
    ['<!-- table none -->', 'there is no table none'],
    ['<!-- if none -->a<!-- end -->', 'there is no condition none'],
    ['<!-- if here -->a', 'an <!-- if --> has no <!-- end -->'],
    ['a<!-- end -->', '<!-- end --> without an if before it'],
    ['a<!-- else -->', '<!-- else --> without an if before it'],
  ])('%j is refused: %s', (text, message) => {
    expect(() => prepare(text, WORDS)).toThrow(message);
  });
});

describe('Markdown', () => {
  const html = (markdown: string) =>
    render(`# T\n\n${markdown}`, (href) => (href === 'gone.md' ? undefined : href)).html;

  test('has anchors as GitHub makes them, also where a heading comes again', () => {
    const { sections } = render(
      '# T\n## `a_b`: what?\nx\n## `a_b`: what?\ny `z`\n- one\n- two\n\n```\nc\n```',
      (href) => href,
    );
    expect(sections).toEqual([
      { heading: 'T', anchor: 't', depth: 1, text: '', code: '' },
      { heading: 'a_b: what?', anchor: 'a_b-what', depth: 2, text: 'x', code: '' },
      { heading: 'a_b: what?', anchor: 'a_b-what-1', depth: 2, text: 'y z one two', code: 'c' },
    ]);
  });

  test('shows code as text, and keeps the words of a link that leads nowhere', () => {
    expect(html('```sh\na < b && "c"\n```')).toContain('<code>a &lt; b &amp;&amp; &#34;c&#34;</code>');
    expect(html('[x](gone.md) [y](y.md?a=1&b="2")')).toContain('<p>x <a href="y.md?a=1&amp;b=&#34;2&#34;">y</a></p>');
    expect(html('`<b>` &lt;i&gt;')).toContain('<p><code>&lt;b&gt;</code> &lt;i&gt;</p>');
  });

  test('a comment is left out', () => {
    expect(html('a\n\n<!-- run -->\n```\nb\n```')).not.toContain('run');
  });

  test.each(['<b>x</b>', '<script>x</script>', 'a <i>b</i>', '<!-- a --><b>', '![x](x.png)'])(
    '%j is refused',
    (text) => {
      expect(() => html(text)).toThrow(/^a page holds/);
    },
  );

  test('a page without a title is refused', () => {
    expect(() => render('x', (href) => href)).toThrow('a page begins with its title');
  });
});
