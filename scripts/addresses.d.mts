export function addressesOf(folder: string): {
  repository: { type: string; url: string; directory: string }
  homepage: string
  bugs: { url: string }
}
