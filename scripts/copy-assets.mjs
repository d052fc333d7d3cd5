// Copies what the compiled service reads beside its code: the files that browsers load from the console.
import { cpSync, globSync } from 'node:fs';

for (const file of globSync('console/**/*.{css,js,svg}')) cpSync(file, `dist/${file}`);
