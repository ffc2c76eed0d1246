import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { afterAll } from 'vitest'

/** The browser of this machine; tests without one are skipped, in CI they fail. */
export const browser = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync)
if (!browser) {
  const advice = 'no Chromium: install it (Debian: apt-get install chromium)'
  if (process.env['CI']) throw new Error(advice)
  console.warn(`skipped: ${advice}`)
}

/** Lends a browser with a profile that nobody has used, for as long as a function runs. */
export type WithBrowser = (use: (context: BrowserContext) => Promise<void>) => Promise<void>

/** The browser of a file's tests: it starts once one of them needs it, and ends with the last. */
export function browserOfFile(): WithBrowser {
  let started: Promise<Browser> | undefined
  afterAll(async () => (await started)?.close())
  return async (use) => {
    started ??= chromium.launch({
      executablePath: browser!,
      // A browser asks for routes to the internet by itself: the guard of the tests is not for it.
      env: { ...process.env, LD_PRELOAD: '' },
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    })
    const context = await (await started).newContext()
    // A busy machine is not a mistake of the page.
    context.setDefaultTimeout(600_000)
    try {
      await use(context)
    } finally {
      await context.close()
    }
  }
}
