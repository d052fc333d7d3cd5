export async function doctor(): Promise<number> {
  return 0;
}
