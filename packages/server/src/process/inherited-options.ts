const OWN_OPTION = /^--(inspect|env-file)/

/** The options of Node for a process that this one starts. The debugger has its port here, and files of variables hold what other processes do not get. */
export function inheritedOptions(): string[] {
  let isOwn = false
  return process.execArgv.filter((text) => {
    // Anything else is the value of the option before it.
    if (text.startsWith('-')) isOwn = OWN_OPTION.test(text)
    return !isOwn
  })
}
