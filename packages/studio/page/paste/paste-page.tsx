import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { StudioInfo } from '../../src/studio-wire.ts'
import { App } from '../app.tsx'
import { hold } from '../model/source.ts'
import { ThemeSwitch } from '../parts/masthead.tsx'
import { example, limits, readPasted } from './read-pasted.ts'

/** Asks for a query with its candidates, and shows them in the studio; nothing leaves the page. */
export function PastePage(): VNode {
  const [info, setInfo] = useState<StudioInfo>()
  const [json, setJson] = useState('')
  const [problem, setProblem] = useState<string>()
  const show = (text: string, name: string): void => {
    try {
      const collection = readPasted(text, name)
      hold(collection)
      setInfo(collection.info)
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  const take = async (file: File | undefined): Promise<void> => {
    if (!file) return
    if (file.size > 2 * limits.characters)
      setProblem(
        `${file.name} has ${file.size} bytes, allowed: ${2 * limits.characters}. Use fewer documents.`,
      )
    else show(await file.text(), file.name)
  }
  if (info) return <App info={info} />
  return (
    <>
      <header class="masthead">
        <p class="wordmark">
          Kith <span>Studio</span>
        </p>
        <a class="own-data" href="index.html">
          Example dataset
        </a>
        <ThemeSwitch />
      </header>
      <main
        class="narrow paste"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault()
          void take(event.dataTransfer?.files[0])
        }}
      >
        <h1>Rerank your own vectors</h1>
        <p>
          Paste a query with its candidates as JSON, or drop a file here. This page computes
          everything itself and connects to nothing: your data stays on your machine.
        </p>
        <textarea
          aria-label="A query and its candidates as JSON"
          placeholder={'{ "query": { "text": "…", "vector": […] }, "documents": […] }'}
          spellcheck={false}
          value={json}
          onInput={(event) => {
            setJson(event.currentTarget.value)
            setProblem(undefined)
          }}
        />
        {problem && (
          <p class="failure" role="alert">
            {problem}
          </p>
        )}
        <div class="buttons">
          <button
            type="button"
            class="main"
            disabled={json.trim() === ''}
            onClick={() => show(json, 'your own data')}
          >
            Rerank
          </button>
          <label class="file">
            Choose a file
            <input
              type="file"
              accept=".json,application/json"
              onChange={(event) => void take(event.currentTarget.files?.[0])}
            />
          </label>
          <button
            type="button"
            onClick={() => {
              setJson(example)
              setProblem(undefined)
            }}
          >
            Insert an example
          </button>
        </div>
        <Fields />
      </main>
    </>
  )
}

/** The form of the JSON. */
function Fields(): VNode {
  return (
    <section class="fields">
      <h2>Format</h2>
      <dl>
        <dt>
          <code>vector</code>
        </dt>
        <dd>
          required for the query and each document: 1 to {limits.dimensions} numbers, equally many
          for all; may also be called <code>embedding</code>
        </dd>
        <dt>
          <code>text</code>
        </dt>
        <dd>
          optional, but for all or none; with texts, the score includes BM25. A document may also
          have a <code>title</code>
        </dd>
        <dt>
          <code>score</code>
        </dt>
        <dd>
          score of the first search, which gives the order before reranking (default: the cosine
          with the query)
        </dd>
        <dt>
          <code>relevant</code>
        </dt>
        <dd>true, false or a grade, if known; the page then shows nDCG@10</dd>
        <dt>
          <code>id</code>
        </dt>
        <dd>a name of the document (optional)</dd>
      </dl>
      <p>At most {limits.documents.toLocaleString('en')} documents.</p>
    </section>
  )
}
