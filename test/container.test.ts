import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')

test('copies all packages but the adapters into the image, each after its imports', () => {
  const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] }
  const packed = [...read('Dockerfile').matchAll(/-w (packages\/\S+)/g)].map(([, folder]) => folder)
  expect(packed).toEqual(workspaces.filter((folder) => /^packages\/[^/]+$/.test(folder)))
})
