const NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** True for the name of this machine, as the `hostname` of a URL has it: what goes there leaves it on no wire. */
export function isThisMachine({ hostname }: Pick<URL, 'hostname'>): boolean {
  return NAMES.includes(hostname);
}
