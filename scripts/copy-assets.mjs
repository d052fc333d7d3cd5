// Copies what the compiled service has beside its code: the files that browsers load, and the recipes.
import { cpSync, existsSync, globSync } from 'node:fs';

for (const file of globSync('api/**/*.{css,js,svg}')) {
  if (existsSync(`dist/${file}`)) throw new Error(`${file} has the name of a compiled module`);
  cpSync(file, `dist/${file}`);
}
for (const file of globSync('api/guide/pages/*.{md,py}')) cpSync(file, `dist/${file}`);
for (const file of globSync('sources/**/*.{csv,json,md,sql}')) cpSync(file, `dist/${file}`);
