import { apiPages } from '../api-pages.mjs'
import { commandPages } from '../commands.mjs'
import { readContents } from '../contents.mjs'

const item = (text, page) => ({ text, link: `/${page.replace(/(index)?\.md$/, '')}` })

const guide = readContents().map(({ title, pages }) => ({
  text: title,
  items: pages.map((page) => item(page.title, page.file)),
}))

const reference = [
  {
    text: 'Commands',
    link: '/commands/',
    collapsed: true,
    items: commandPages.map(({ command, page }) => item(command.name, page)),
  },
  {
    text: 'API',
    link: '/api/',
    collapsed: true,
    items: apiPages().map(({ name, page }) => item(name, page)),
  },
  item('Examples', 'examples.md'),
]

const project = {
  text: 'Project',
  items: [
    item('Architecture', 'architecture.md'),
    item('Contributing', 'contributing.md'),
    item('Changelog', 'changelog.md'),
  ],
}

const named = guide.find(({ text }) => text === 'Reference')
named.items.unshift(...reference)

export default {
  srcDir: 'generated',
  // Files that are copied unchanged; Markdown among them makes no page.
  srcExclude: ['public/**'],
  outDir: 'dist',
  cacheDir: '../node_modules/.cache/kith-site',
  lang: 'en-US',
  title: 'Kith',
  description: 'Better rankings, labels and query encoders from reciprocal nearest neighbors.',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/logo.svg' }]],
  themeConfig: {
    logo: '/logo.svg',
    nav: [
      item('Get started', 'start.md'),
      item('Guides', 'adapters.md'),
      item('Commands', 'commands/index.md'),
      item('API', 'api/index.md'),
    ],
    sidebar: [...guide, project],
    outline: { level: [2, 3] },
    search: { provider: 'local' },
  },
}
