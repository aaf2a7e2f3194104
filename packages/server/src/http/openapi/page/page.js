const search = document.getElementById('search')
const found = document.getElementById('found')
const calls = [...document.querySelectorAll('details')].map((element) => ({
  element,
  text: element.querySelector('summary').textContent.toLowerCase(),
}))
const groups = [...document.querySelectorAll('section')]

/** Shows the calls whose summary contains every search word. */
function show() {
  const words = search.value
    .toLowerCase()
    .split(' ')
    .filter((word) => word !== '')
  let count = 0
  for (const { element, text } of calls) {
    const isMatch = words.every((word) => text.includes(word))
    element.hidden = !isMatch
    if (isMatch) count++
  }
  for (const group of groups) group.hidden = group.querySelector('details:not([hidden])') === null
  found.textContent = words.length === 0 ? '' : `${count} of ${calls.length} calls`
}

/** Opens the call that the URL fragment names. */
function openLinked() {
  const linked = document.getElementById(location.hash.slice(1))
  if (linked instanceof HTMLDetailsElement) linked.open = true
}

search.closest('label').hidden = false
search.addEventListener('input', show)
addEventListener('hashchange', openLinked)
openLinked()
