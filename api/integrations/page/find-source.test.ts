import { describe, expect, test } from 'vitest';
import { readPage } from './reading.ts';

const SERVICE = 'https://stats.example/base';
const PAGE = 'https://shop.test/prices/today';
const [OURS, THEIRS] = ['org_ours', 'org_theirs'];

/** What is found in a page with this body. */
function checkPage(
  body: string,
  { head = '', publicUrl = SERVICE, contentType = 'text/html', organizationId = OURS } = {},
) {
  const html = `<!doctype html><html><head><title>x</title>${head}</head><body><p>Prices</p>${body}</body></html>`;
  return readPage({ kind: 'page', body: Buffer.from(html), contentType, url: PAGE, publicUrl, organizationId });
}

const kindOf = (body: string, options = {}) => checkPage(body, options).found?.kind ?? 'nothing';
const LINK = `<a href="${SERVICE}">Data: modelstats</a>`;
const BADGE = `<img src="${SERVICE}/badges/source.svg" alt="Data">`;

describe('the source is shown by', () => {
  test.each([
    ['a link', LINK, 'link'],
    ['a link to a page below', `<a href="${SERVICE}/models?x=1#y">x</a>`, 'link'],
    ['a link over http', '<a href="http://stats.example/base/">x</a>', 'link'],
    ['a link in upper case', '<A HREF="HTTPS://STATS.EXAMPLE/base">x</A>', 'link'],
    ['a link with the dot of the root', '<a href="https://stats.example./base">x</a>', 'link'],
    ['a link whose address begins with two slashes', '<a href="//stats.example/base">x</a>', 'link'],
    ['a link with blanks, line breaks and backslashes', '<a href=" https:\\\\stats.exa\nmple/base ">x</a>', 'link'],
    ['a link with references to characters', '<a href="https&colon;//stats&#46;example/base">x</a>', 'link'],
    ['a link that says nofollow', `<a rel="nofollow noopener" target="_blank" href="${SERVICE}">x</a>`, 'link'],
    ['a link with a picture', `<a href="${SERVICE}"><img src="/logo.png" width="20" height="20"></a>`, 'link'],
    ['a link with a drawing', `<a href="${SERVICE}"><svg><path d="M0 0"/></svg></a>`, 'link'],
    ['a link with text deep in it', `<a href="${SERVICE}"><span><b> x </b></span></a>`, 'link'],
    ['the badge in a link to it', `<a href="${SERVICE}">${BADGE}</a>`, 'badge'],
    ['the badge in any link', `<a href="/about">${BADGE}</a>`, 'badge'],
    ['a page of it in a frame', `<iframe src="${SERVICE}/embed/models/x" width="400" height="200"></iframe>`, 'embed'],
    ['a link in an open details', `<details open><p>${LINK}</p></details>`, 'link'],
    ['a link in the words of a closed details', `<details><summary>${LINK}</summary>x</details>`, 'link'],
    [
      'a link that is seen in what is not',
      `<p style="visibility:hidden"><a style="visibility:visible" href="${SERVICE}">x</a></p>`,
      'link',
    ],
    [
      'text that is seen in what is small',
      `<p style="font-size:0"><a href="${SERVICE}" style="font-size:12px">x</a></p>`,
      'link',
    ],
    ['a picture in what has no size of text', `<p style="font-size:0"><a href="/">${BADGE}</a></p>`, 'badge'],
    [
      'a link with an unusual but visible style',
      `<p style="left:-2px;opacity:.9;width:0;clip:auto">${LINK}</p>`,
      'link',
    ],
    ['a link with declarations of no property', `<p style="constructor:x;__proto__:y;toString:0">${LINK}</p>`, 'link'],
    ['a link in a usual font', `<p style="font:10px/0 serif;margin:0 -10px;filter:opacity(0.9)">${LINK}</p>`, 'link'],
    ['a link whose later style shows it', `<p style="display:none;display:block">${LINK}</p>`, 'link'],
    ['a link behind an error in the page', `<table><div>${LINK}`, 'link'],
  ])('%s', (_, body, kind) => {
    expect(kindOf(body)).toBe(kind);
  });

  test('a link that is relative to the base of the page', () => {
    expect(kindOf('<a href="models">x</a>', { head: `<base href="${SERVICE}/">` })).toBe('link');
    expect(kindOf('<a href="/base">x</a>', { head: '<base href="https://stats.example">' })).toBe('link');
    expect(kindOf(LINK, { head: '<base href="https://other.test/">' })).toBe('link');
    expect(
      kindOf('<a href="models">x</a>', { head: `<base target="_blank"><base href="/"><base href="${SERVICE}/">` }),
    ).toBe('nothing');
  });

  test('what is kept of it is the address, and the text in one short line', () => {
    const { found } = checkPage(`<a href="${SERVICE}/x">  Data\n by <b>us</b> ${'long '.repeat(50)}</a>`);
    expect(found?.href).toBe(`${SERVICE}/x`);
    expect(found?.text.slice(0, 10)).toBe('Data by us');
    expect(found?.text.length).toBe(100);
  });
});

describe('the source is not shown by', () => {
  test.each([
    ['a comment', `<!-- ${LINK} -->`],
    ['a script', `<script>document.write('${LINK}')</script>`],
    ['a template', `<template>${LINK}</template>`],
    ['noscript', `<noscript>${LINK}</noscript>`],
    ['a text area', `<textarea>${LINK}</textarea>`],
    ['a frame without an address of ours', `<iframe src="https://other.test/">${LINK}</iframe>`],
    ['what is for browsers without frames', `<iframe srcdoc="x">${LINK}</iframe><noframes>${LINK}</noframes>`],
    ['text', `${SERVICE} &lt;a href="${SERVICE}"&gt;x&lt;/a&gt;`],
    ['hidden', `<div hidden><p>${LINK}</p></div>`],
    ['hidden until found', `<div hidden="until-found">${LINK}</div>`],
    ['aria-hidden', `<div aria-hidden="TRUE">${LINK}</div>`],
    ['popover', `<div popover>${LINK}</div>`],
    ['a closed dialog', `<dialog>${LINK}</dialog>`],
    ['a closed details', `<details><summary>More</summary>${LINK}</details>`],
    ['a second summary', `<details><summary>More</summary><summary>${LINK}</summary></details>`],
    ['an empty link', `<a href="${SERVICE}"></a>`],
    ['a link with blanks alone', `<a href="${SERVICE}"> &nbsp;&#x200b;&#x2800;&#x3164;<br></a>`],
    ['a link with hidden text', `<a href="${SERVICE}"><span hidden>x</span></a>`],
    ['a link with an empty drawing', `<a href="${SERVICE}"><svg></svg></a>`],
    ['a link with a picture that has no address', `<a href="${SERVICE}"><img alt="x"></a>`],
    ['a link with a picture of no size', `<a href="${SERVICE}"><img src="/x.png" width="0" height="0"></a>`],
    ['a link with a picture of one point', `<a href="${SERVICE}"><img src="/x.png" width=1 height=1></a>`],
    ['the badge in no link', BADGE],
    ['the badge in a script for a link', `<a href="javascript:void(0)">${BADGE}</a>`],
    ['the badge without a size', `<a href="/"><img src="${SERVICE}/badges/source.svg" style="width:0"></a>`],
    ['a frame without a size', `<iframe src="${SERVICE}/embed/models/x" width="0"></iframe>`],
    ['a hidden frame', `<iframe src="${SERVICE}/embed/models/x" hidden></iframe>`],
    ['another page in a frame', `<iframe src="${SERVICE}/console"></iframe>`],
    ['a link to another host with ours in its query', `<a href="https://other.test/?u=${SERVICE}">x</a>`],
    ['a link to another host with ours in its path', '<a href="https://other.test/stats.example/base">x</a>'],
    ['a link to another host with ours as its user', '<a href="https://stats.example@other.test/base">x</a>'],
    ['a link to ours with a user', '<a href="https://user@stats.example/base">x</a>'],
    ['a link to a host below ours', '<a href="https://www.stats.example/base">x</a>'],
    ['a link to a host that begins like ours', '<a href="https://stats.example.other.test/base">x</a>'],
    ['a link to a host that ends like ours', '<a href="https://mystats.example/base">x</a>'],
    ['a link to a host that looks like ours', '<a href="https://ѕtats.example/base">x</a>'],
    ['a link to another port', '<a href="https://stats.example:8443/base">x</a>'],
    ['a link beside the base path', '<a href="https://stats.example/basement">x</a>'],
    ['a link above the base path', '<a href="https://stats.example/base/../other">x</a>'],
    ['a script as a link', `<a href="javascript:location='${SERVICE}'">x</a>`],
    ['mail as a link', `<a href="mailto:a@stats.example">x</a>`],
    ['an anchor without an address', `<a name="${SERVICE}">x</a>`],
    ['an area of a map', `<map><area href="${SERVICE}" alt="x"></map>`],
    ['a form', `<form action="${SERVICE}"><button>x</button></form>`],
  ])('%s', (_, body) => {
    expect(kindOf(body)).toBe('nothing');
  });

  test.each([
    ...['display:none', 'DISPLAY : NONE !important', 'display:none!important;display:block', '/* x */display:/**/none'],
    ...[
      'visibility:hidden',
      'visibility:collapse',
      'opacity:0',
      'opacity:0%',
      'opacity:.01',
      'content-visibility:hidden',
    ],
    ...['font-size:0', 'font-size:0px', 'font-size:0.1px', 'font-size:0em', 'font-size:1%'],
    ...[
      'position:absolute;left:-9999px',
      'position:fixed;top:-100vh',
      'position:absolute;right:-50em',
      'position:absolute;left:200vw',
    ],
    ...['text-indent:-9999px', 'margin-left:-1000px', 'transform:translateX(-9999px)', 'transform:translate(0,-200vh)'],
    ...['transform:scale(0)', 'transform:scale(1,0)', 'scale:0', 'clip-path:inset(50%)', 'clip-path:circle(0)'],
    ...['position:absolute;clip:rect(0,0,0,0)', 'position:absolute;clip:rect(1px 1px 1px 1px)'],
    ...[
      'font:0/0 a',
      'font: bold 0px serif',
      'filter:opacity(0)',
      'position:absolute;inset:0 auto auto -9999px',
      'margin:0 0 0 -9999px',
      'translate:-9999px 0',
      'height:0;overflow:hidden',
      'overflow-y:clip;max-height:0px',
      'width:0;overflow:hidden',
    ],
  ])('what is hidden by style="%s"', (style) => {
    expect(kindOf(`<p style="${style}">${LINK}</p>`)).toBe('nothing');
    expect(kindOf(`<a href="${SERVICE}" style="${style}">x</a>`)).toBe('nothing');
  });

  test('the head', () => {
    expect(kindOf('', { head: `<link rel="x" href="${SERVICE}"><style>${LINK}</style>` })).toBe('nothing');
  });
});

test('the service may lie on another port, or at the root', () => {
  const publicUrl = 'http://stats.example:8080';
  expect(kindOf('<a href="https://stats.example:8080/any">x</a>', { publicUrl })).toBe('link');
  expect(kindOf('<a href="http://stats.example/any">x</a>', { publicUrl })).toBe('nothing');
  expect(kindOf('<a href="https://stats.example/any">x</a>', { publicUrl: 'https://stats.example/' })).toBe('link');
});

test('an address in other letters is the same', () => {
  const publicUrl = 'https://xn--bcher-kva.example';
  expect(kindOf('<a href="https://BÜCHER.example/">x</a>', { publicUrl })).toBe('link');
  expect(kindOf('<a href="https://b%C3%BCcher.example/">x</a>', { publicUrl })).toBe('link');
});

test.each([
  ['utf-16le', 'text/html; charset=utf-16le', (html: string) => Buffer.from(html, 'utf16le')],
  ['a byte order mark', 'text/html; charset=iso-8859-1', (html: string) => Buffer.from(`\uFEFF${html}`, 'utf16le')],
  ['latin 1', 'text/html;charset="ISO-8859-1"', (html: string) => Buffer.from(html, 'latin1')],
  ['a charset that nobody knows', 'text/html; charset=klingon', (html: string) => Buffer.from(html)],
])('a page in %s is read', (_, contentType, bytesOf) => {
  const body = bytesOf(`<p>é</p>${LINK}`);
  expect(
    readPage({ kind: 'page', body, contentType, url: PAGE, publicUrl: SERVICE, organizationId: OURS }).found?.kind,
  ).toBe('link');
});

test('what almost counts is told', () => {
  expect(checkPage(`<a href="${SERVICE}"></a>`).almost).toBe(
    `the link to ${SERVICE} contains neither text nor a picture`,
  );
  expect(checkPage(`<p style="display:none">${LINK}</p>`).almost).toMatch(/is hidden: <p style="display: none">/);
  expect(checkPage(`<details>${LINK}</details>`).almost).toMatch(/closed <details>/);
  expect(checkPage('<p>nothing</p>')).toEqual({ found: undefined, almost: undefined });
});

describe('a page that names an organization', () => {
  const named = (organization: string) => `<a href="${SERVICE}/?for=${organization}">${BADGE}</a>`;

  test.each([
    ['counts for it', named(OURS), 'badge'],
    ['counts for it, whoever else is named before', `${named(THEIRS)}${named(OURS)}`, 'badge'],
    [
      'counts for it by its badge',
      `<a href="/about"><img src="${SERVICE}/badges/source.svg?for=${OURS}"></a>`,
      'badge',
    ],
    ['counts for it by a frame', `<iframe src="${SERVICE}/embed/models/a?for=${OURS}"></iframe>`, 'embed'],
    ['counts for nobody else', named(THEIRS), 'nothing'],
    [
      'counts for nobody else by its badge',
      `<a href="/"><img src="${SERVICE}/badges/x.svg?for=${THEIRS}"></a>`,
      'nothing',
    ],
    ['counts for nobody else by a frame', `<iframe src="${SERVICE}/embed/models/a?for=${THEIRS}"></iframe>`, 'nothing'],
    ['counts for nobody else, whatever links stand beside', `${LINK}${named(THEIRS)}${LINK}`, 'nothing'],
    ['counts for all where what names it is hidden', `${LINK}<p hidden>${named(THEIRS)}</p>`, 'link'],
    ['names nobody to other services', `${LINK}<a href="https://other.test/?for=${THEIRS}">x</a>`, 'link'],
  ])('%s', (_, body, kind) => {
    expect(kindOf(body)).toBe(kind);
  });

  test('says so to others, without a word of who it is', () => {
    const { almost = '' } = checkPage(named(THEIRS));
    expect(almost).toBe('the link on the page names another organization in its parameter for');
  });
});
