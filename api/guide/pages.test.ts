import { describe, expect, test } from 'vitest';
import { activeParts, elementsIn, textOf } from '../../test/support/site/elements.ts';
import { prepare } from './pages.ts';
import { render } from './render.ts';

const VALUES = {
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
    expect(prepare(text, VALUES)).toBe(expected);
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
    expect(() => prepare(text, VALUES)).toThrow(message);
  });
});

/** Of each language. */
const CODE = {
  sh: 'curl -s "$URL" | jq \'.[0]\' # "<b>"',
  ini: '[Service]\nRestart=on-failure',
  json: '{ "a": [1, "<b>"] }',
  python: 'if a < 1 and b["c"] & 2:\n    print(f"<i>{a}</i>")',
  sql: "SELECT a FROM b WHERE a < '<b>'",
  ts: 'const a: string = `<b>`; // "&amp;"',
  html: '<script src="x">alert("1")</script>',
};

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

  test('shows code as text, and only the text of a link whose page is not shown', () => {
    expect(html('```\na < b && "c"\n```')).toContain('<code>a &lt; b &amp;&amp; &#34;c&#34;</code>');
    expect(html('[x](gone.md) [y](y.md?a=1&b="2")')).toContain('<p>x <a href="y.md?a=1&amp;b=&#34;2&#34;">y</a></p>');
    expect(html('`<b>` &lt;i&gt;')).toContain('<p><code>&lt;b&gt;</code> &lt;i&gt;</p>');
  });

  test('highlights code in a language, and changes nothing of its text', () => {
    for (const [language, code] of Object.entries(CODE)) {
      const shown = html(`\`\`\`${language}\n${code}\n\`\`\``);
      expect(shown, language).toMatch(/^<h1[\s\S]*<div class="code"><pre tabindex="0"><code>[\s\S]*<span class="hljs-/);
      expect(textOf(shown), language).toBe(`T\n${code}\n`);
      expect(activeParts(shown), language).toEqual([]);
    }
    expect(html('```text\nfrom 1 import "a"\n```')).toContain(
      '\n<pre tabindex="0"><code>from 1 import &#34;a&#34;</code></pre>',
    );
  });

  test('shows blocks of code as tabs, which are radio buttons with a label of the language or of the page', () => {
    const blocks = '<!-- run -->\n```sh\na\n```\n\n<!-- run with x -->\n```python\nb\n```\n';
    const tabs = elementsIn(
      html(`<!-- tabs -->\n${blocks}<!-- end tabs -->\n\n<!-- tabs: <A>, B -->\n${blocks}<!-- end tabs -->`),
    );
    const named = (name: string) => tabs.filter((element) => element.name === name);
    expect(named('label').map(({ text, attributes }) => [text, attributes['for']])).toEqual([
      ['curl', 'tabs-1-1'],
      ['Python', 'tabs-1-2'],
      ['<A>', 'tabs-2-1'],
      ['B', 'tabs-2-2'],
    ]);
    expect(
      named('input').map(({ attributes }) => [attributes['id'], attributes['name'], 'checked' in attributes]),
    ).toEqual([
      ['tabs-1-1', 'tabs-1', true],
      ['tabs-1-2', 'tabs-1', false],
      ['tabs-2-1', 'tabs-2', true],
      ['tabs-2-2', 'tabs-2', false],
    ]);
    expect(named('pre').map(({ text }) => text)).toEqual(['a', 'b', 'a', 'b']);
    expect(render(`# T\n<!-- tabs -->\n${blocks}<!-- end tabs -->\nc`, (href) => href).sections).toEqual([
      { heading: 'T', anchor: 't', depth: 1, text: 'c', code: 'a b' },
    ]);
  });

  test.each([
    ['```sh\na\n```\n', 'tabs need 2 to 4 blocks of code'],
    ['```sh\na\n```\n'.repeat(5), 'tabs need 2 to 4 blocks of code'],
    ['```sh\na\n```\n```sql\nb\n```\n', 'a tab has no label: sql'],
  ])('tabs around %j are refused: %s', (blocks, message) => {
    expect(() => html(`<!-- tabs -->\n${blocks}<!-- end tabs -->\n`)).toThrow(message);
  });

  test('a comment is left out', () => {
    expect(html('a\n\n<!-- run -->\n```\nb\n```')).not.toContain('run');
  });

  test.each(['<b>x</b>', '<script>x</script>', 'a <i>b</i>', '<!-- a --><b>', '![x](x.png)'])(
    '%j is refused',
    (text) => {
      expect(() => html(text)).toThrow(/^a page must not contain/);
    },
  );

  test('a page without a title is refused', () => {
    expect(() => render('x', (href) => href)).toThrow('a page must start with its title');
  });
});
