/** The output of npm for a packed package. */
export interface Packed {
  name: string
  filename: string
  files: { path: string }[]
}

export interface PublicPackage {
  folder: string
  name: string
  [field: string]: unknown
}

export const root: string
export function manifestOf(folder: string): Record<string, unknown>
export function publicPackages(): PublicPackage[]
export function withDependencies(name: string, packages: readonly PublicPackage[]): string[]
export function pack(packages: readonly PublicPackage[], folder: string): Packed[]
