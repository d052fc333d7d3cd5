import { plainNumber } from '../../../runtime/plain-number.ts';
import { conditionTexts } from '../../../schemas/cost.ts';
import { METERS } from '../../../schemas/rates.ts';
import { costRoute } from '../../data/routes/cost.ts';
import { RequestInvalid } from '../../server/errors/http-error.ts';
import { argumentProblem, type Body } from '../exchange.ts';
import { type Columns, cell, type Row, rowsOf, table } from '../table.ts';
import { asOf, lines, type TextInput } from '../tool-text.ts';
import { routeTool } from './route-tool.ts';

/** Its meters are one argument: each by itself would be described to every agent. */
export const costTool = routeTool({
  name: 'get-cost',
  title: 'Get a cost',
  description: 'What a request costs, today or on a past day. Refused if a rate is unknown.',
  route: costRoute,
  omitted: METERS,
  more: {
    quantities: {
      type: 'object',
      additionalProperties: { type: 'number' },
      description:
        'Tokens by meter, such as input (without cached ones), cache_read, output; images or seconds if so charged',
    },
  },
  needed: ['quantities'],
  prepare: async (args) => withQuantities(args),
  explain: async (error) => (error instanceof RequestInvalid ? inQuantities(error) : undefined),
  descriptions: {
    model: '',
    provider: 'Default: the cheapest',
    on: '',
    units: 'Such as image_out:image',
    tier: '',
    region: '',
  },
  text: costText,
});

/** The arguments as the route's parameters. Throws RequestInvalid. */
function withQuantities({ quantities, ...args }: Body): Body {
  const names: readonly string[] = METERS;
  const given = Object(quantities) as Body;
  const isRight = typeof quantities === 'object' && Object.keys(given).every((name) => names.includes(name));
  if (isRight && !Array.isArray(quantities)) {
    const named = Object.entries(given).filter(([, quantity]) => quantity !== null);
    return { ...args, input: 0, ...Object.fromEntries(named) };
  }
  const msg = `Input should be an object of numbers by meter; the meters are ${METERS.join(', ')}`;
  throw new RequestInvalid([argumentProblem('quantities', quantities, { msg, type: 'value_error' })]);
}

/** Problems of meters as those of parts of the argument; the first element of `loc` is replaced for all tools. */
function inQuantities({ detail }: RequestInvalid): RequestInvalid {
  const names: readonly unknown[] = METERS;
  return new RequestInvalid(
    detail.map((problem) => {
      const [place = '', name = ''] = problem.loc;
      return names.includes(name) ? { ...problem, loc: [place, 'quantities', name] } : problem;
    }),
  );
}

const COLUMNS: Columns = {
  meter: 'meter',
  quantity: 'quantity',
  price: (part) => rateOf(part)['price'],
  per: (part) => `${cell(rateOf(part)['per'])} ${cell(rateOf(part)['unit'])}`,
  condition: (part) => conditionTexts(Object(rateOf(part)['when'])),
  cost: 'cost',
  assumed: 'assumed',
};

function costText({ body, dataAsOf }: TextInput): string {
  const { cost, currency, model_id: model, provider, on } = body;
  const parts = rowsOf(body, 'parts');
  const missing = rowsOf(body, 'missing').map((each) => `${cell(each['provider'])} (${cell(each['meters'])})`);
  return lines(
    `${plainNumber(Number(cost))} ${cell(currency)} for ${cell(model)} at ${cell(provider)} on ${cell(on)}${asOf(dataAsOf)}.`,
    parts.length === 0 ? undefined : table(COLUMNS, parts),
    missing.length === 0 ? undefined : `Not compared, since they lack rates: ${missing.join(', ')}.`,
  );
}

function rateOf(part: Row): Row {
  return Object(part['rate']) as Row; // An object in every part.
}
