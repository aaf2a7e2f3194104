import { createServer } from 'node:net'

/** Free ports below the ephemeral range, so that no other test gets them in the meantime. */
export async function findQuietPorts(count: number): Promise<number[]> {
  const found = new Set<number>()
  while (found.size < count) {
    const port = 10_000 + Math.floor(Math.random() * 6_000)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
    })
    if (isFree) found.add(port)
  }
  return [...found]
}
