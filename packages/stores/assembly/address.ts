/** The address of entry `index` of an array of four-byte numbers. */
export function word(base: usize, index: i32): usize {
  return base + ((<usize>index) << 2)
}
