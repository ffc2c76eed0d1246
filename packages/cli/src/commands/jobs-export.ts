import { type RankedQuery, writeRun } from '@kith/ir'
import {
  checkStudy,
  decodeItem,
  decodeLabels,
  decodeRanking,
  type LabelResult,
  type Sidecar,
  writeSidecarOf,
} from '@kith/pipelines/internal'
import { Studies } from '@kith/work'
import { writeLabelFile } from '../old/label-store.ts'
import { defineCommand } from '../options/command.ts'
import { databaseOption, readDatabase } from '../options/store-options.ts'
import { text } from '../options/values.ts'

/** `kith jobs export`: the results of a finished study as a file. */
export const jobsExportCommand = defineCommand({
  name: 'jobs export',
  summary: 'write the results of a finished study as a file',
  description:
    'Writes what kith rerank or kith labels would have written on one machine, byte for byte.\n' +
    'A study that is not finished is refused.',
  example: 'kith jobs export --store postgres://localhost/kith --study mine --out better.trec',
  options: {
    ...databaseOption,
    study: { value: 'NAME', help: 'the name it was submitted under', required: true },
    out: { value: 'FILE', file: 'output', help: 'the file to write', required: true },
  },
  async run(values, output) {
    const [name, out] = [text(values, 'study'), text(values, 'out')]
    const studies = await Studies.open(readDatabase(values))
    try {
      const { kind, settings, origin, queries } = await studies.find(name)
      const made = origin as unknown as Sidecar
      const study = checkStudy({ name, kind, settings })
      if (study.kind === 'rerank') {
        await writeRun(out, rankings(studies, name))
        await writeSidecarOf(out, made)
      } else {
        await writeLabelFile(out, study.settings.layout, {
          key: JSON.stringify([name, settings]),
          from: 0,
          to: queries,
          results: (from) => labels(studies, name, from),
          onDone() {},
          made,
        })
      }
      output.result({ out, queries }, `${out}: ${queries} queries`)
    } finally {
      await studies.close()
    }
  },
})

async function* rankings(studies: Studies, name: string): AsyncGenerator<RankedQuery> {
  for await (const { item, result } of studies.results(name)) {
    yield decodeRanking(decodeItem(item.query, item.body), result.body)
  }
}

async function* labels(studies: Studies, name: string, from: number): AsyncGenerator<LabelResult> {
  for await (const { result } of studies.results(name, from)) {
    yield decodeLabels(result.query, result.body)
  }
}
