import findMyWay, { type Config, type HTTPVersion, type Instance } from 'find-my-way'
import type { Method, Route } from './route.ts'

/** The last segment of a path that stands for all below it. */
const REST = '*'

/** What the routes offer at one path. */
export interface OfferedPath {
  readonly path: string
  readonly methods: readonly Method[]
}

/** The paths of a table of routes, each with its methods. */
export function listOfferedPaths(routes: readonly Pick<Route, 'paths' | 'method'>[]): OfferedPath[] {
  const rows = routes.flatMap(({ paths, method }) => paths.map((path) => ({ path, method })))
  const byPath = Map.groupBy(rows, ({ path }) => path)
  return [...byPath].map(([path, offers]) => ({ path, methods: offers.map(({ method }) => method) }))
}

/**
 * Finds the path of a URL, whatever its method is. Ready when first asked: registering each path for each method that it does not offer
 * would take a quarter of the start.
 */
export function createPathFinder(
  paths: readonly OfferedPath[],
  options: Config<HTTPVersion.V1>,
): (url: string) => OfferedPath | undefined {
  let router: Instance<HTTPVersion.V1> | undefined
  return (url) => {
    if (!router) {
      router = findMyWay(options)
      for (const offered of paths) router.on('GET', offered.path, () => {}, offered)
    }
    return router.find('GET', url)?.store as OfferedPath | undefined
  }
}

/**
 * For each path, the methods that it does not offer and a more general one does: `GET /items/new` would be served as `GET /items/:id` unless the path
 * refuses it.
 */
export function listShadowed(paths: readonly OfferedPath[]): { readonly offered: OfferedPath; methods: Method[] }[] {
  const split = paths.map((offered) => ({ offered, segments: offered.path.split('/') }))
  const general = split.filter(({ segments }) => segments.some(isParameter))
  return split.flatMap(({ offered, segments }) => {
    const reaching = general.filter((other) => other.offered !== offered && matches(other.segments, segments))
    const reachable = [...new Set(reaching.flatMap((other) => other.offered.methods))]
    const methods = reachable.filter((method) => !offered.methods.includes(method))
    return methods.length > 0 ? [{ offered, methods }] : []
  })
}

function isParameter(segment: string): boolean {
  return segment === REST || segment.startsWith(':')
}

function matches(general: readonly string[], segments: readonly string[]): boolean {
  const hasRest = general.at(-1) === REST
  if (hasRest ? general.length > segments.length : general.length !== segments.length) return false
  return general.every((segment, index) => segment === segments[index] || isParameter(segment))
}
