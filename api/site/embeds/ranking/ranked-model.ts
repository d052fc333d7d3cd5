/** A model with its place in a category. */
export interface RankedModel {
  readonly id: string;
  readonly name: string;
  readonly rank: number;
}

/** The same with names that no two of them share: those that do are called by their ids. */
export function namesApart(models: readonly RankedModel[]): readonly RankedModel[] {
  const byName = Map.groupBy(models, ({ name }) => name);
  return models.map((model) => ((byName.get(model.name)?.length ?? 0) > 1 ? { ...model, name: model.id } : model));
}
