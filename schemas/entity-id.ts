/**
 * The stable id of a record in the change feed: the parts of its key joined by `:`, a `:` or `%` inside a part
 * percent-encoded, so that ids never collide and always split (DESIGN §4 "Ids").
 */
export function entityIdFromKey(parts: readonly string[]): string {
  return parts.map((part) => part.replaceAll('%', '%25').replaceAll(':', '%3A')).join(':');
}

/** The key's parts of an entity id. */
export function keyFromEntityId(entityId: string): readonly string[] {
  return entityId.split(':').map((part) => part.replaceAll('%3A', ':').replaceAll('%25', '%'));
}
