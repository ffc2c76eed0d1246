import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import config from './.vitepress/config.mjs'
import { generated, writePage } from './place.mjs'

/** A longer description in `llms.txt`, in characters, is cut at a word. */
const LONGEST_DESCRIPTION = 160

/**
 * Writes what language models read of the site: every page as Markdown beside its HTML,
 * `llms.txt` with a link and a line about each of them (llmstxt.org), and `llms-full.txt` with all
 * of them in one file. Call it when the other pages are written.
 */
export function writeLlms() {
  const { title, description, themeConfig } = config
  const sections = themeConfig.sidebar.map(({ text, items }) => ({
    text,
    pages: items.flatMap(pagesOf).map(readPage),
  }))
  const pages = sections.flatMap((section) => section.pages)
  for (const { file, markdown } of pages) writePage(`public/${file}`, markdown)
  const head = `# ${title}\n\n> ${description}\n`
  const list = sections.map(({ text, pages }) => {
    const lines = pages.map(({ file, title, about }) => {
      return `- [${title}](/${file})${about && `: ${about}`}\n`
    })
    return `## ${text}\n\n${lines.join('')}`
  })
  writePage('public/llms.txt', [head, ...list].join('\n'))
  // The API comes last: who reads a part reads the guide.
  const [guide, api] = [false, true].map((is) => pages.filter(({ file }) => isApi(file) === is))
  const whole = [...guide, ...api].map(({ file, markdown }) => `<!-- /${file} -->\n\n${markdown}`)
  writePage('public/llms-full.txt', [head, ...whole].join('\n'))
}

/** The pages behind an entry of the side bar: its own, then those below it. */
function pagesOf({ text, link, items = [] }) {
  const own = link ? [{ text, file: fileOf(link) }] : []
  return [...own, ...items.flatMap(pagesOf)]
}

/** The file behind a link of the side bar, which leaves out `.md` and `index`. */
function fileOf(link) {
  return `${link.slice(1)}${link.endsWith('/') ? 'index' : ''}.md`
}

const isApi = (file) => file.startsWith('api/')

/** A page with its own title, or without one that of the side bar. */
function readPage({ text, file }) {
  const page = readFileSync(join(generated, file), 'utf8')
  const markdown = page.replace(/^---\n[\s\S]*?\n---\n+/, '')
  const title = /^# (.+)/m.exec(markdown)?.[1].replaceAll('`', '') ?? text
  return { title, file, markdown, about: describe(markdown) }
}

/** The first sentence of a page as plain text. */
function describe(markdown) {
  const paragraph = markdown
    .replace(/^(`{3,})[\s\S]*?^\1/gm, '')
    .split(/\n{2,}/)
    .find((block) => /^[`*\w“]/.test(block))
  const plain = (paragraph ?? '')
    .replace(/\]\([^)]*\)|[[\]*`\\]|<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  const sentence = /^.*?[.!?:](?= [A-Z]|$)/.exec(plain)?.[0] ?? plain
  if (sentence.length <= LONGEST_DESCRIPTION) return sentence.replace(/:$/, '')
  return `${sentence.slice(0, LONGEST_DESCRIPTION).replace(/\W*\s\S*$/, '')} …`
}
