const search = document.getElementById('search')
const found = document.getElementById('found')
const calls = [...document.querySelectorAll('details')].map((element) => ({
  element,
  text: element.querySelector('summary').textContent.toLowerCase(),
}))
const groups = [...document.querySelectorAll('section')]

/** Shows the calls whose line holds every word. */
function show() {
  const words = search.value
    .toLowerCase()
    .split(' ')
    .filter((word) => word !== '')
  let count = 0
  for (const { element, text } of calls) {
    const isWanted = words.every((word) => text.includes(word))
    element.hidden = !isWanted
    if (isWanted) count++
  }
  for (const group of groups) group.hidden = group.querySelector('details:not([hidden])') === null
  found.textContent = words.length === 0 ? '' : `${count} of ${calls.length} calls`
}

/** A link to a call opens it. */
function openNamed() {
  const named = document.getElementById(location.hash.slice(1))
  if (named instanceof HTMLDetailsElement) named.open = true
}

search.closest('label').hidden = false
search.addEventListener('input', show)
addEventListener('hashchange', openNamed)
openNamed()
