/** The digests of what builds read: of each package by its folder, and of what all share. */
export type BuildDigests = Record<string, string>

export function builtPackages(root: string): string[]
export function digestOf(root: string, files: readonly string[]): string
export function buildDigests(root: string): BuildDigests
export function readBuilt(root: string): BuildDigests
export function writeBuilt(root: string, digests: BuildDigests): void
export function stalePackages(root: string): string[]
export function packagesToBuild(root: string, digests: BuildDigests): string[]
