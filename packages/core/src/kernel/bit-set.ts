/** The members of a set of 32-bit words, ascending. */
export function membersOf(words: Uint32Array): Uint32Array {
  const members: number[] = []
  words.forEach((word, w) => {
    for (let bits = word; bits !== 0; bits &= bits - 1) {
      members.push(w * 32 + 31 - Math.clz32(bits & -bits))
    }
  })
  return Uint32Array.from(members)
}
