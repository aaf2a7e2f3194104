/** A knip reporter that also reports the number of files. */
export default ({ issues, counters }) => {
  const found = Object.values(issues).flatMap((byFile) =>
    Object.entries(byFile).flatMap(([file, bySymbol]) =>
      Object.values(bySymbol).map(({ type, symbol }) => `${type}: ${symbol} (${file})`),
    ),
  )
  process.stdout.write(JSON.stringify({ looked: counters.processed, problems: found }))
}
