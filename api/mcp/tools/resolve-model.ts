import { resolveRoute } from '../../data/routes/resolve.ts';
import { type Columns, cell, rowsOf, table } from '../table.ts';
import { asOf, lines, type TextInput } from '../tool-text.ts';
import { routeTool } from './route-tool.ts';

export const resolveModelTool = routeTool({
  name: 'resolve-model',
  title: 'Find the id of a model',
  description:
    'Finds the exact id of a model from how people or catalogues write it: "GPT 5.4 mini", "azure/eu/gpt-5.4-mini". Ask if none is exact or sure. Costs a unit also if none is found.',
  route: resolveRoute,
  descriptions: { name: 'As written, also in another catalogue', limit: '' },
  rows: 'matches',
  text: matchesText,
});

const COLUMNS: Columns = {
  id: 'model_id',
  name: 'name',
  organization: 'organization',
  confidence: 'confidence',
  why: 'why',
};

function matchesText({ body, dataAsOf }: TextInput): string {
  const [name, matches] = [cell(body['name']), rowsOf(body, 'matches')];
  if (matches.length === 0) {
    return `No model matches ${name}${asOf(dataAsOf)}. Try fewer words, or list-models with q as part of the name.`;
  }
  return lines(
    `${matches.length === 1 ? '1 match' : `${matches.length} matches`} for ${name}${asOf(dataAsOf)}, the best first.`,
    table(COLUMNS, matches),
    'Use the id exactly as shown: ids are case-sensitive.',
  );
}
