"""The browser driver's questions to a page, as JavaScript expressions."""

NAME_OF = """(one => !one || one === document.body ? '' :
  (one.labels && one.labels.length ? one.labels[0] : one).innerText.trim())"""

PAGE = f"""({{
  // A page that waits for another one is not complete, but all of it is there.
  ready: !!document.querySelector('footer'),
  title: document.title,
  heading: (document.querySelector('h1') || {{}}).innerText || '',
  text: document.body ? document.body.innerText : '',
  address: document.location.pathname + document.location.search,
  focus: {NAME_OF}(document.activeElement),
  alerts: [...document.querySelectorAll('[role=alert]')].map(one => one.innerText),
  states: [...document.querySelectorAll('[role=status]')].map(one => one.innerText),
  fields: Object.fromEntries([...document.querySelectorAll('input:not([type=hidden])')]
    .map(one => [one.name, one.type === 'password' ? '' : one.value])),
}})"""

# Whether the focused element shows a ring: its outline, as it is drawn.
RING = """(one => {
  const style = getComputedStyle(one);
  return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
})(document.activeElement)"""

# The position of a button or link, found by its text.
PLACE = """(name => {
  const one = [...document.querySelectorAll('button, a')].find(one => one.innerText.trim() === name);
  const box = one && one.getBoundingClientRect();
  return box && {x: box.x + box.width / 2, y: box.y + box.height / 2};
})"""

# The contrast of text with its background (WCAG 2.2, 1.4.3), and of a field's edge with its
# surroundings (1.4.11).
FAULTS = """(() => {
  const faults = [];
  const parts = colour => (colour.match(/[\\d.]+/g) || []).map(Number);
  const light = colour => parts(colour).slice(0, 3)
    .map(part => part / 255)
    .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const contrast = (one, other) => {
    const [most, least] = [light(one), light(other)].sort((a, b) => b - a);
    return (most + 0.05) / (least + 0.05);
  };
  const ground = one => {
    for (; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (parts(colour)[3] !== 0) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const called = one => one.tagName + ' ' + (one.innerText || one.name || '').slice(0, 30);
  for (const one of document.body.querySelectorAll('*')) {
    const style = getComputedStyle(one), box = one.getBoundingClientRect();
    if (!box.width || !box.height) continue;
    const hasText = [...one.childNodes].some(
      node => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (hasText) {
      const found = contrast(style.color, ground(one));
      const large = parseFloat(style.fontSize) >= 24
        || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
      if (found < (large ? 3 : 4.5)) faults.push(`contrast ${found.toFixed(2)}: ${called(one)}`);
    }
    if (one.matches('input:not([type=hidden])')) {
      const found = contrast(style.borderTopColor, ground(one.parentElement));
      if (found < 3) faults.push(`edge ${found.toFixed(2)}: ${called(one)}`);
    }
    if (one.matches('button, input:not([type=hidden]), a.button') && box.height < 44) {
      faults.push(`only ${box.height} high: ${called(one)}`);
    }
    if (box.left < -0.5 || box.right > document.documentElement.clientWidth + 0.5) {
      faults.push(`sticks out: ${called(one)}`);
    }
    if (matchMedia('(prefers-reduced-motion: reduce)').matches && style.animationName !== 'none') {
      faults.push(`moves: ${called(one)}`);
    }
  }
  // A focused control shows its focus. An element that only marks the beginning of the page does
  // not.
  const focused = document.activeElement, style = getComputedStyle(focused);
  if (!focused || focused === document.body) {
    faults.push('nothing has the focus');
  } else if (focused.tabIndex < 0) {
    if (style.outlineStyle !== 'none') faults.push(`a ring for no control: ${called(focused)}`);
  } else if (style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 2
    || contrast(style.outlineColor, ground(focused.parentElement)) < 3) {
    faults.push(`no ring: ${called(focused)}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push('scrolls sideways');
  if (document.documentElement.lang !== 'en') faults.push('no language');
  if (document.querySelector('[tabindex]:not([tabindex="-1"]):not([tabindex="0"])'))
    faults.push('an order of its own');
  if (document.scripts.length) faults.push('a script');
  for (const one of performance.getEntriesByType('resource')) faults.push('loads ' + one.name);
  if (getComputedStyle(document.querySelector('main')).borderRadius === '0px')
    faults.push('without style');
  return faults;
})()"""
