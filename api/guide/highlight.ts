import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import ini from 'highlight.js/lib/languages/ini';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import { escapeHtml } from '../server/pages/html.tsx';

/** By the word after the three backticks. */
const LANGUAGES = { sh: bash, ini, json, python, sql, ts: typescript, html: xml };

const instance = highlighter.newInstance();
for (const [name, language] of Object.entries(LANGUAGES)) instance.registerLanguage(name, language);

/** Code as HTML, with `span`s of the classes `hljs-…` if the language is known. */
export function highlight(code: string, language: string): string {
  if (!Object.hasOwn(LANGUAGES, language)) return escapeHtml(code);
  return instance.highlight(code, { language }).value;
}
