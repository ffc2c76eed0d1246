/** A PostgreSQL server of one's own, in a temporary folder, on a free port of this machine only. */
export class Cluster {
  constructor(folder: string)
  readonly folder: string
  readonly data: string
  readonly url: string
  static start(settings?: Record<string, string>): Promise<Cluster>
  configure(settings: Record<string, string>): void
  resume(): void
  halt(mode?: 'fast' | 'immediate'): void
  remove(): void
}
