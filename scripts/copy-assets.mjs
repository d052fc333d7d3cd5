// Copies what the compiled service has beside its code: the files that browsers load from the console, and the recipes.
import { cpSync, globSync } from 'node:fs';

for (const file of globSync('console/**/*.{css,js,svg}')) cpSync(file, `dist/${file}`);
for (const file of globSync('sources/**/*.{csv,json,md,sql}')) cpSync(file, `dist/${file}`);
