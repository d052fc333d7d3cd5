// Copies the compiled service's other files: those for browsers, and the recipes.
import { cpSync, globSync } from 'node:fs';

for (const file of globSync('api/**/*.{css,js,svg}')) cpSync(file, `dist/${file}`);
for (const file of globSync('api/guide/pages/*.md')) cpSync(file, `dist/${file}`);
for (const file of globSync('sources/**/*.{csv,json,md,sql}')) cpSync(file, `dist/${file}`);
