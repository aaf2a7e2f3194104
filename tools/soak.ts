/** `npm run soak [-- names] [--flags]`: the long runs of e2e/soak/, one after the other. Ends with 1 when one of them finds something. */

interface Soak {
  readonly about: string
  readonly flags: string
}

/** By the name of their module. */
const SOAKS: Readonly<Record<string, Soak>> = {
  catalogue: {
    about: 'every hostile request of the tests, in random order',
    flags: '--rounds=100 --seed=N',
  },
  crash: {
    about: 'kills a controller in the middle of writes: nothing acknowledged is lost',
    flags: '--rounds=100',
  },
  enroll: {
    about: 'one token a thousand times at once, then controllers killed while they enroll',
    flags: '--races=20 --times=1000 --kills=200',
  },
  faults: {
    about: 'two nodes on one PostgreSQL that is stopped, restarted and cut off',
    flags: '--seconds=60',
  },
  garbage: {
    about: 'a million requests of garbage, and what is left of it in memory',
    flags: '--requests=1000000',
  },
  memory: {
    about: 'an hour of garbage beside people who sign in',
    flags: '--minutes=60 --rate=5000',
  },
  timing: {
    about: 'whether the time of a refusal tells why it was refused',
    flags: '--samples=100000',
  },
}

const words = process.argv.slice(2)
const flags = words.filter((word) => word.startsWith('-'))
const names = words.filter((word) => !word.startsWith('-'))
const unknown = names.filter((name) => !Object.hasOwn(SOAKS, name))
if (unknown.length > 0 || flags.includes('--help') || flags.includes('-h')) {
  if (unknown.length > 0) process.stderr.write(`there is no ${unknown.join(', no ')}\n`)
  process.stdout.write(usage())
  process.exitCode = unknown.length > 0 ? 2 : 0
} else {
  for (const [name, soak] of Object.entries(SOAKS))
    if (names.length === 0 || names.includes(name)) await run(name, soak)
}

async function run(name: string, { about }: Soak): Promise<void> {
  process.stdout.write(`\n# ${name}: ${about}\n`)
  try {
    const module: { run(flags: string[]): Promise<void> } = await import(`../e2e/soak/${name}.ts`)
    await module.run(flags)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
    process.exitCode = 1
  }
}

function usage(): string {
  const rows = Object.entries(SOAKS).map(
    ([name, soak]) => `  ${name.padEnd(10)} ${soak.about}\n             ${soak.flags}\n`,
  )
  return `npm run soak [-- names] [--flags]: long runs, all of them unless named; together several hours.\n\n${rows.join('')}`
}
