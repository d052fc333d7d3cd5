import { agreesWith } from '../../../schemas/model-makers.ts';
import {
  formsOf,
  mayBeOneDate,
  NAME_STEPS,
  type NameForm,
  type NameStep,
  stepAt,
  wordsOf,
} from '../../../schemas/model-name.ts';
import type { CheckedText, View } from '../../view/view.ts';
import { modelsWithWords, popularityOf } from './model-search.ts';

/** What of a model a name matches. */
export const MATCHES = ['id', 'alias', 'name', ...NAME_STEPS, 'search'] as const;
export type Match = (typeof MATCHES)[number];

/** `exact` and `sure`: there is no other such model. */
export const CONFIDENCES = ['exact', 'sure', 'likely', 'possible'] as const;

export interface ResolvedModel {
  readonly model_id: string;
  readonly name: string;
  readonly organization: string | null;
  readonly match: Match;
  readonly confidence: (typeof CONFIDENCES)[number];
  readonly why: string;
}

/**
 * The models that a name may mean, best first (specification "Names as people write them"): those with a form in common by the first
 * steps, else those with all words. Nothing is chosen between equals.
 */
export function resolveName(view: View, name: string, limit: number): readonly ResolvedModel[] {
  const candidates = candidatesFor(view, name);
  if (candidates.length === 0) {
    const words = wordsOf(formsOf(name).findLast(({ step }) => step === 'path' || step === 'prefix')?.text ?? name);
    const found = modelsWithWords(view, words, limit).flatMap((model) => readModels(view, [model]));
    return found.map((model) => ({ ...shown(model), match: 'search', confidence: 'possible', why: EVERY_WORD }));
  }
  const [best] = candidates;
  const equals = candidates.filter((candidate) => best !== undefined && compareEvidence(candidate, best) === 0);
  const models = readModels(
    view,
    candidates.slice(0, limit).map(({ model }) => model),
  );
  return candidates.slice(0, limit).flatMap((candidate, at) => {
    const model = models[at];
    if (model === undefined) return [];
    const { evidence } = candidate;
    return [{ ...shown(model), match: matchOf(evidence), ...judge(evidence, { model, at, equals: equals.length }) }];
  });
}

/** A text of a model, and the form of the name that it has in common. */
interface Evidence {
  /** The smaller the better. */
  readonly cost: number;
  readonly kind: 'id' | 'alias' | 'name';
  /** The last step that either needed. */
  readonly step: NameStep;
  /** Undefined: the texts are the same. */
  readonly forms: { readonly ofName: NameForm; readonly ofModel: FoundForm } | undefined;
}

interface Candidate {
  readonly model: number;
  readonly evidence: Evidence;
  /** Of the best two, which rank it. */
  readonly costs: readonly number[];
  readonly popularity: number;
}

interface FoundForm {
  readonly model: number;
  readonly kind: Evidence['kind'];
  readonly text: string;
  /** Of the form. */
  readonly distance: number;
  readonly sellers: number;
  readonly bestRank: number | null;
}

/** Of one form. More models of one name can't be distinguished by it. */
const FORMS_MAX = 200;

const BY_FORM = `SELECT f.model, f.kind, f.text, f.distance, n.sellers, n.best_rank AS bestRank
  FROM (SELECT * FROM name_forms WHERE form = ? ORDER BY distance, kind, model, text LIMIT ${FORMS_MAX}) f
  JOIN model_names n ON n.model = f.model`;

/** A name without letters and digits has no form: it may only be an id, a name or an alias as written. */
const AS_WRITTEN = `WITH w(text) AS MATERIALIZED (SELECT ?), t(kind, model) AS (
    SELECT 'id', model FROM models WHERE id = (SELECT text FROM w)
    UNION ALL SELECT * FROM (SELECT DISTINCT 'alias', model FROM aliases WHERE id = (SELECT text FROM w) LIMIT ${FORMS_MAX})
    UNION ALL SELECT * FROM (SELECT 'name', model FROM models
      WHERE substr(name, 1, 200) = (SELECT substr(text, 1, 200) FROM w) AND name = (SELECT text FROM w) LIMIT ${FORMS_MAX}))
  SELECT t.model, t.kind, w.text, 0 AS distance, n.sellers, n.best_rank AS bestRank
  FROM t CROSS JOIN w JOIN model_names n ON n.model = t.model`;

function candidatesFor(view: View, name: string): readonly Candidate[] {
  const written = name.trim();
  const byModel = new Map<number, { popularity: number; evidence: Evidence[] }>();
  const add = (found: FoundForm, evidence: Evidence) => {
    const candidate = byModel.get(found.model) ?? { popularity: popularityOf(found), evidence: [] };
    candidate.evidence.push(evidence);
    byModel.set(found.model, candidate);
  };
  for (const found of view.rows<FoundForm>(AS_WRITTEN, [written])) {
    const cost = WRITTEN_COSTS[found.kind];
    add(found, { cost, kind: found.kind, step: 'spelling', forms: undefined });
  }
  for (const ofName of formsOf(name)) {
    for (const found of view.rows<FoundForm>(BY_FORM, [ofName.form])) {
      const date = ofName.date === '' ? '' : formIn(found, ofName)?.date;
      if (date === undefined || !mayBeOneDate(ofName.date, date)) continue;
      add(found, evidenceFrom(ofName, found, date !== ''));
    }
  }
  const candidates = [...byModel].map(([model, { popularity, evidence }]) => {
    const sorted = evidence.sort((one, other) => one.cost - other.cost);
    const [best] = sorted;
    return best === undefined
      ? []
      : [{ model, popularity, evidence: best, costs: sorted.slice(0, 2).map(({ cost }) => cost) }];
  });
  return candidates
    .flat()
    .sort((one, other) => compareEvidence(one, other) || one.popularity - other.popularity || one.model - other.model);
}

const WRITTEN_COSTS = { id: 0, alias: 1, name: 2 } as const;

/** The form of a model's text that a name has too. */
function formIn({ text }: FoundForm, { form }: NameForm): NameForm | undefined {
  return formsOf(text).find((each) => each.form === form);
}

/**
 * By the greater of the two distances, then by both, unless both have the same date. An id or alias comes before a name, which many
 * models may share.
 */
function evidenceFrom(ofName: NameForm, ofModel: FoundForm, isSameDate: boolean): Evidence {
  const { kind, text, distance } = ofModel;
  const greater = Math.max(ofName.distance, distance);
  const isWritten = kind !== 'name' && distance === 0 && text === ofName.text;
  const ofKind = kind === 'name' ? 2 : 1;
  const both = isSameDate ? 0 : ofName.distance + distance;
  const cost = 10 + 10 * (100 * greater + both) + (isWritten ? 0 : ofKind);
  return { cost, kind, step: stepAt(greater), forms: { ofName, ofModel } };
}

function compareEvidence({ costs: ours }: Candidate, { costs: theirs }: Candidate): number {
  const [first = 0, second = Number.MAX_SAFE_INTEGER] = ours;
  const [otherFirst = 0, otherSecond = Number.MAX_SAFE_INTEGER] = theirs;
  return first - otherFirst || second - otherSecond;
}

function matchOf({ kind, step, forms }: Evidence): Match {
  return forms === undefined ? kind : step;
}

interface ModelFacts {
  readonly id: string;
  readonly name: string;
  readonly organization: string | null;
  readonly inference: readonly string[] | null;
}

/** In the given order. */
function readModels(view: View, numbers: readonly number[]): readonly ModelFacts[] {
  const lines = view.checkedRows<CheckedText & { readonly model: number }>(
    'SELECT model, line AS text, "check" FROM models WHERE model IN (SELECT value FROM json_each(?))',
    [JSON.stringify(numbers)],
  );
  const byNumber = new Map(lines.map(({ model, text }) => [model, JSON.parse(text) as ModelFacts])); // A line of the view.
  return numbers.flatMap((number) => byNumber.get(number) ?? []);
}

function shown({ id, name, organization }: ModelFacts) {
  return { model_id: id, name, organization };
}

const EVERY_WORD = 'every word is in its id, name or an alias';

const KINDS = { id: 'its id', alias: 'an alias', name: 'its name' } as const;

const STEP_WORDS: Readonly<Record<NameStep, string>> = {
  spelling: 'in another case or punctuation',
  path: 'without what stands before a slash',
  prefix: 'without who made it',
  suffix: 'without the suffix',
  date: 'but for the date',
};

/** Only the best is more than possible, and only if no other is as good. */
function judge(
  { kind, step, forms }: Evidence,
  { model, at, equals }: { readonly model: ModelFacts; readonly at: number; readonly equals: number },
): Pick<ResolvedModel, 'confidence' | 'why'> {
  const why = `${KINDS[kind]} ${forms === undefined ? 'as written' : STEP_WORDS[step]}`;
  const others = equals === 2 ? 'another model matches' : `${equals - 1} others match`;
  if (at >= equals) return { confidence: 'possible', why };
  if (equals > 1) return { confidence: 'likely', why: `${why}; ${others} as well` };
  if (forms === undefined) return { confidence: kind === 'name' ? 'sure' : 'exact', why };
  const { ofName, ofModel } = forms;
  // Another date, or another offer than the one asked for, may answer or cost otherwise.
  if (step === 'date' || stepAt(ofModel.distance) === 'suffix') return { confidence: 'likely', why };
  const sellers = [...ofName.sellers, ...(formIn(ofModel, ofName)?.sellers ?? [])];
  const stranger = sellers.find((seller) => !agreesWith(seller, model));
  if (stranger === undefined) return { confidence: 'sure', why };
  return { confidence: 'likely', why: `${why}; ${stranger} is not known to sell or make it` };
}
