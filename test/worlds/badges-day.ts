import type { DayRows } from '../support/pipeline/write-day.ts';

/** Names as people give them, and as nobody should: each is a model's name, by its id. */
export const ODD_NAMES: Readonly<Record<string, string>> = {
  'acme/v1.svg': 'Dotted',
  '@cf/言葉-7b': '言葉 7B',
  japanese: 'ことば・モデル 2',
  korean: '한국어 모델',
  arabic: 'نموذج اللغة العربية 2',
  hebrew: 'מודל שפה (עברית)',
  hindi: 'हिन्दी मॉडल',
  thai: 'โมเดลภาษาไทย',
  emoji: '👩‍👩‍👧‍👦 Family 🇩🇪 ❤️',
  marks: 'Z̵̢̛͑̈́a̷l̸g̵o née',
  long: 'An instruction-tuned mixture of experts with a name that no page has room for, 2026-06 preview',
  'long-chinese': '一个名字很长很长很长很长很长很长很长很长很长的大型语言模型二零二六年版',
  hostile: '<script>alert(1)</script>',
  '"><svg onload=alert(1)>': `"><svg onload="alert(1)" x='`,
  entity: '&lt;b&gt; ]]> <![CDATA[ $& $1 %3Cb%3E',
  turned: 'safe\u202Egnp.exe',
};

const models = [
  { id: 'aurora-2', name: 'Aurora 2' },
  { id: 'tern', name: 'Tern' },
  { id: 'bare', name: 'Bare' },
  ...Object.entries(ODD_NAMES).map(([id, name]) => ({ id, name })),
];

/** A day with everything that badges tell, of models of every kind of name. */
export const BADGES_DAY: DayRows = {
  models,
  benchmarks: [
    { id: 'arena', name: 'Arena <hard>' },
    { id: 'math', name: 'Math' },
    { id: 'few', name: 'Few' },
  ],
  scores: [
    { model_id: 'aurora-2', benchmark_id: 'few', value: 99 },
    { model_id: 'aurora-2', benchmark_id: 'math', value: 0.87312 },
    { model_id: 'aurora-2', benchmark_id: 'arena', value: 1284.5 },
    ...['tern', 'arabic'].map((model_id) => ({ model_id, benchmark_id: 'math', value: 0.5 })),
    { model_id: 'tern', benchmark_id: 'arena', value: -3 },
  ],
  rankings: [
    ...models.slice(3).map(({ id }, i) => ({ model_id: id, category: 'text', rank: i + 3 })),
    { model_id: 'tern', category: 'text', rank: 1 },
    { model_id: 'aurora-2', category: 'text', rank: 2 },
    { model_id: 'aurora-2', category: 'code', rank: 2 },
    { model_id: 'tern', category: 'code', rank: 1 },
    { model_id: 'tern', category: 'عربي', rank: 1 },
  ],
  pricing: [
    { model_id: 'aurora-2', provider: 'stratus', input_per_million: 3, output_per_million: 15 },
    { model_id: 'aurora-2', provider: 'edge', input_per_million: 3.5, output_per_million: 0.075 },
    { model_id: 'tern', provider: 'nimbus', input_per_million: 90, output_per_million: 270, currency: 'JPY' },
  ],
};
