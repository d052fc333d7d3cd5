import { z } from 'zod';
import { type JsonForm, parseJson } from './json-form.ts';
import { RATES_FORM } from './rates.ts';

/** Column types whose values are JSON. */
export const JSON_TYPES = ['rates', 'modalities'] as const;
export type JsonType = (typeof JSON_TYPES)[number];

const ModalityList = z.array(z.string().regex(/^[a-z0-9_-]{1,40}$/, 'is not a modality, such as text or image'));

/** What a model takes and gives (specification "Modalities"). */
export const ModalitiesSchema = z
  .strictObject({
    input: ModalityList.describe('What it takes, sorted: text, image, audio, video, pdf …'),
    output: ModalityList.describe('What it gives, sorted'),
  })
  .meta({ id: 'Modalities' });
export type Modalities = z.infer<typeof ModalitiesSchema>;

export const MODALITIES_FORM: JsonForm<Modalities> = {
  label: 'an object with the lists input and output',
  schema: ModalitiesSchema,
  parse: (text) => {
    const parsed = parseJson(text, ModalitiesSchema);
    if ('problem' in parsed) return parsed;
    const sorted = (list: readonly string[]) => [...new Set(list)].sort();
    const { input, output } = parsed.value;
    return { value: input.length + output.length === 0 ? null : { input: sorted(input), output: sorted(output) } };
  },
};

export const JSON_FORMS: Readonly<Record<JsonType, JsonForm<unknown>>> = {
  rates: RATES_FORM,
  modalities: MODALITIES_FORM,
};

export function isJsonType(type: string): type is JsonType {
  return Object.hasOwn(JSON_FORMS, type);
}
