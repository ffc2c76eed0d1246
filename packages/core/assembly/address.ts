/** The address of entry `index` of an array of four-byte numbers. */
export function word(base: usize, index: i32): usize {
  return base + ((<usize>index) << 2)
}

/** The address of entry `index` of an array of eight-byte numbers. */
export function double(base: usize, index: i32): usize {
  return base + ((<usize>index) << 3)
}
