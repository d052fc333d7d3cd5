import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { elementsOf, parseXml, textsOf, type XmlElement } from '../../test/support/site/xml-tree.ts';
import { ODD_NAMES } from '../../test/worlds/badges-day.ts';
import { BADGE_STYLES, type Badge, cutText, lettersOf, shieldsJsonOf, svgOf } from './badge.ts';
import { isRightToLeft, plainText } from './plain-text.ts';

const badge = (texts: Partial<Badge>): Badge => ({ label: 'label', message: 'message', color: 'blue', ...texts });

const widthOf = ({ attributes }: XmlElement) => Number(attributes['width']);

/** What a reader sees: the label and the message, without their shadows. */
const shownOf = (root: XmlElement) => [...new Set(textsOf(root, 'text'))];

describe.each(BADGE_STYLES)('the style %s', (style) => {
  test('shows label and message, is as wide as both need, and says both to those who don’t see it', async () => {
    const root = parseXml(await svgOf(badge({ style })));
    const shown = style === 'for-the-badge' ? ['LABEL', 'MESSAGE'] : ['label', 'message'];
    expect(shownOf(root)).toEqual(shown);
    expect(widthOf(root)).toBeGreaterThan(80);
    expect(root.attributes).toMatchObject({ role: 'img', 'aria-label': 'label: message' });
    expect(textsOf(root, 'title')).toEqual(['label: message']);
  });

  test('a message stands alone where there is no label', async () => {
    const root = parseXml(await svgOf(badge({ label: '', style })));
    expect(shownOf(root)).toHaveLength(1);
    expect(textsOf(root, 'title')).toEqual(['message']);
  });

  test('whatever the texts, they are text alone, of characters that XML has', async () => {
    const anyText = fc.oneof(
      fc.constantFrom(...Object.values(ODD_NAMES), '</text><script>x</script>', '" onload="x', '\u0000\ud800\uffff'),
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
    );
    const plain = elementsOf(parseXml(await svgOf(badge({ style }))));
    const namesOf = (elements: readonly XmlElement[]) => elements.map(({ name }) => name);
    await fc.assert(
      fc.asyncProperty(anyText, anyText, async (label, message) => {
        fc.pre(plainText(label) !== '' && plainText(message) !== '');
        const elements = elementsOf(parseXml(await svgOf(badge({ label, message, style }))));
        expect(namesOf(elements)).toEqual(namesOf(plain));
        for (const { attributes } of elements) {
          expect(Object.keys(attributes).filter((name) => /^on|href|^style$/i.test(name))).toEqual([]);
          for (const width of [attributes['width'], attributes['textLength']])
            expect(width === undefined || Number(width) > 0).toBe(true);
        }
      }),
    );
  });
});

test.each(Object.entries(ODD_NAMES))(
  'the name of %s is shown as far as there is room, and whole in the title',
  async (_, name) => {
    const root = parseXml(await svgOf(badge({ label: name })));
    expect(shownOf(root)[0]).toBe(cutText(plainText(name), 40));
    expect(textsOf(root, 'title')[0]?.replaceAll(/[\u2068\u2069]/g, '')).toBe(`${plainText(name)}: message`);
  },
);

test('a text from right to left is drawn so, and joined letters are not pulled apart', async () => {
  const attributesOf = async (name: string) => {
    const root = parseXml(await svgOf(badge({ label: name })));
    return elementsOf(root).find((element) => element.name === 'text')?.attributes ?? {};
  };
  for (const [id, name] of Object.entries(ODD_NAMES)) {
    const { direction, lengthAdjust } = await attributesOf(name);
    expect([id, direction === 'rtl']).toEqual([id, isRightToLeft(name)]);
    if (['arabic', 'hindi', 'marks'].includes(id)) expect([id, lengthAdjust]).toEqual([id, 'spacingAndGlyphs']);
  }
  expect(await attributesOf('Aurora 2')).not.toHaveProperty('lengthAdjust');
});

test('marks, joined emoji and scripts of narrow letters get no more room than they take', async () => {
  const widthOfLabel = async (label: string) => widthOf(parseXml(await svgOf(badge({ label }))));
  expect(await widthOfLabel('née'.normalize('NFD'))).toBe(await widthOfLabel('née'));
  expect(await widthOfLabel('👩‍👩‍👧‍👦')).toBe(await widthOfLabel('👩'));
  expect(await widthOfLabel('نموذج')).toBeLessThan(await widthOfLabel('mmmmm'));
  expect(await widthOfLabel('言葉言葉')).toBeGreaterThan(await widthOfLabel('nnnn'));
});

test('a badge for shields.io has the same texts, and is an error where it is one', () => {
  const json = (given: Partial<Badge>) => JSON.parse(shieldsJsonOf(badge(given)));
  const told = { label: 'label', message: 'message', color: 'blue' };
  expect(json({})).toEqual({ schemaVersion: 1, ...told, cacheSeconds: 3600 });
  expect(json({ isError: true, style: 'plastic' })).toMatchObject({ isError: true, style: 'plastic' });
  expect(json({ label: `\u0000${'x'.repeat(50)}` })).toMatchObject({ label: `${'x'.repeat(39)}…` });
});

describe('a cut text', () => {
  test.each([
    ['short', 5, 'short'],
    ['longer', 5, 'long…'],
    ['a word', 3, 'a…'],
    ['言葉です', 8, '言葉です'],
    ['言葉です', 7, '言葉で…'],
    ['言葉です', 6, '言葉…'],
    ['ab👩‍👩‍👧‍👦cd', 5, 'ab👩‍👩‍👧‍👦…'],
    ['ab👩‍👩‍👧‍👦cd', 4, 'ab…'],
    ['née née', 4, 'née…'],
    ['🇩🇪🇫🇷🇯🇵', 5, '🇩🇪🇫🇷…'],
    ['', 5, ''],
  ])('of %j within %i columns is %j', (text, columns, cut) => {
    expect(cutText(text, columns)).toBe(cut);
  });

  test('marks that are heaped on a letter are left out, however many there are', () => {
    expect(cutText(`a${'\u0301'.repeat(50_000)}b`, 5)).toBe('ab');
  });

  test('is a beginning of the letters, whole ones, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 2, max: 40 }), (text, columns) => {
        const plain = plainText(text);
        const cut = cutText(plain, columns);
        expect(cut.isWellFormed()).toBe(true);
        const letters = [...lettersOf(plain)];
        expect(letters.length <= columns || cut.endsWith('…')).toBe(true);
        expect(letters.join('').startsWith(cut.replace(/…$/, ''))).toBe(true);
      }),
    );
  });
});
