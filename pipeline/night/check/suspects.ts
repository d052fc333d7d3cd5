import type { Day } from '../../../runtime/day.ts';
import { DATASETS } from '../../../schemas/datasets.ts';
import type { Database } from '../../../storage/duckdb/database.ts';
import { entityIdSql, sameKeySql } from '../../../storage/duckdb/record-sql.ts';
import { text } from '../../../storage/duckdb/row-shape.ts';
import type { SourceSettings } from '../../source/source-settings.ts';
import { countRows, table } from '../tables.ts';
import { issueSql } from './issues.ts';

export interface SuspectInput {
  readonly day: Day;
  readonly captured: boolean;
  /** Whether the version in force stores rates; else there are none to compare with. */
  readonly hasRates: boolean;
  readonly settings: SourceSettings;
  /** As `pricing:<entity_id>` or the bare entity id. */
  readonly accept: readonly string[];
}

export interface SuspectCheck {
  readonly pending: number;
  /** Entity ids admitted today, by an operator or by time. */
  readonly admitted: readonly string[];
  /** Accepted by an operator but not pending. */
  readonly unknownAccepts: readonly string[];
}

const PRICES = ['input_per_million', 'output_per_million'] as const;

/**
 * Holds back implausible prices (specification "Suspect prices"): outside `price_range`, or moved by more than
 * `max_price_ratio` between plausible values. Moves them from `captured_pricing` to `suspects`; their records are
 * carried. A price in force is never a suspect. Rates follow the same rules: `rule` then names all rates that break it.
 */
export async function checkSuspects(database: Database, input: SuspectInput): Promise<SuspectCheck> {
  if (!input.captured) {
    await database.run(
      'CREATE TABLE suspects AS SELECT * FROM previous_suspects WHERE model_id IN (SELECT id FROM present_models)',
    );
    return { pending: await countRows(database, 'suspects'), admitted: [], unknownAccepts: input.accept };
  }
  await findCandidates(database, input);
  const admitted = await admit(database, input);
  await setAside(database);
  return { pending: await countRows(database, 'suspects'), ...admitted };
}

/** One row per implausible price, with the days on which exactly it was captured. */
async function findCandidates(database: Database, { day, settings, hasRates }: SuspectInput): Promise<void> {
  const dataset = DATASETS.pricing;
  const plausible = (price: string) => `(${price} = 0 OR ${price} BETWEEN $1 AND $2)`;
  const changed = (price: string) => `c.${price} IS DISTINCT FROM p.${price}`;
  const outside = PRICES.map((price) => `(${changed(price)} AND NOT ${plausible(`c.${price}`)})`).join(' OR ');
  const jumped = PRICES.map(
    (price) =>
      `(c.${price} > 0 AND p.${price} > 0 AND ${plausible(`c.${price}`)} AND ${plausible(`p.${price}`)}
        AND greatest(c.${price} / p.${price}, p.${price} / c.${price}) > $3)`,
  ).join(' OR ');
  await database.run(
    `CREATE TABLE suspects AS
     SELECT model_id, provider, entity_id, input_per_million, output_per_million, rule,
            if(is_same, since, $4::DATE) AS since, if(is_same, days, 0)::INTEGER + 1 AS days FROM (
       SELECT *, coalesce(known_rule = rule OR NOT contains(rule, '{'), false) AND since IS NOT NULL AS is_same FROM (
       SELECT c.model_id, c.provider, ${entityIdSql(dataset, 'c')} AS entity_id,
              c.input_per_million, c.output_per_million, s.since, s.days, s.rule AS known_rule,
              CASE WHEN $6 AND c.rates IS DISTINCT FROM p.rates THEN suspect_rate(c.rates, coalesce(p.rates, '[]'), $5) END AS rate_rule,
              CASE WHEN coalesce(${outside}, false) THEN 'price_range'
                   WHEN rate_rule IS NOT NULL THEN rate_rule
                   WHEN coalesce(${jumped}, false) THEN 'max_price_ratio' END AS rule
       FROM ${table('captured', 'pricing')} c
       LEFT JOIN ${table('previous', 'pricing')} p ON ${sameKeySql(dataset, 'c', 'p')}
       LEFT JOIN previous_suspects s ON ${sameKeySql(dataset, 'c', 's')}
         AND c.input_per_million IS NOT DISTINCT FROM s.input_per_million
         AND c.output_per_million IS NOT DISTINCT FROM s.output_per_million))
     WHERE rule IS NOT NULL ORDER BY model_id, provider`,
    [...settings.price_range, settings.max_price_ratio, day, JSON.stringify(settings), hasRates],
  );
}

/** Admits what an operator accepted, and jumps that lasted long enough. */
async function admit(database: Database, { settings, accept }: SuspectInput) {
  const named = [...settings.accept, ...accept].map((id) => id.replace(/^pricing:/, ''));
  const parameters = [JSON.stringify(named), settings.suspect_days] as const;
  const condition = `list_contains(from_json($1, '["VARCHAR"]'), entity_id) OR (starts_with(rule, 'max_price_ratio') AND days >= $2)`;
  const select = `SELECT entity_id FROM suspects WHERE ${condition} ORDER BY entity_id`;
  const rows = await database.rows({ entity_id: text }, select, parameters);
  const admitted = rows.map(({ entity_id }) => entity_id);
  await database.run(`DELETE FROM suspects WHERE ${condition}`, parameters);
  return { admitted, unknownAccepts: accept.filter((id) => !admitted.includes(id.replace(/^pricing:/, ''))) };
}

async function setAside(database: Database): Promise<void> {
  const captured = table('captured', 'pricing');
  const issue = issueSql({
    dataset: 'pricing',
    kind: 'suspect',
    rowid: 'c.rowid',
    field: `if(contains(s.rule, '{'), 'rates', 'input_per_million, output_per_million')`,
    value: `if(contains(s.rule, '{'), c.rates, concat_ws(', ', coalesce(es_number(c.input_per_million), 'null'),
      coalesce(es_number(c.output_per_million), 'null')))`,
    reason: `'breaks ' || s.rule || ' since ' || s.since || '; accept it as pricing:' || s.entity_id`,
  });
  const join = `suspects s WHERE ${sameKeySql(DATASETS.pricing, 'c', 's')}`;
  await database.run(`INSERT INTO issues SELECT ${issue} FROM ${captured} c, ${join}`);
  await database.run(`INSERT INTO ${table('aside', 'pricing')} SELECT model_id, provider FROM suspects`);
  await database.run(`DELETE FROM ${captured} c USING ${join}`);
}
