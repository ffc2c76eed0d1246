/** Opens two things, both or none: where the second fails, the first is closed. */
export async function openBoth<A extends { close(): Promise<void> }, B>(
  openFirst: Promise<A>,
  openSecond: () => Promise<B>,
): Promise<[A, B]> {
  const first = await openFirst
  try {
    return [first, await openSecond()]
  } catch (error) {
    await first.close()
    throw error
  }
}
