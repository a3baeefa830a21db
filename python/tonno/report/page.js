// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws each chart once it comes into view.
(() => {
  "use strict";
  const page = JSON.parse(document.getElementById("data").textContent);
  const mostShapes = 1500;

  /** Returns the rows of a table that is stored by columns. Charts change their rows, so each
   * gets its own. */
  function makeRows(kernel, name) {
    const columns = kernel.data[name];
    const names = Object.keys(columns);
    const count = names.length ? columns[names[0]].length : 0;
    const rows = [];
    for (let i = 0; i < count; ++i) {
      const row = {};
      for (const each of names) row[each] = columns[each][i];
      if (name === "trials") {
        row.name = kernel.sessions[row.session];
        row.config = describe(kernel.knobs, row.codes);
        delete row.codes;
      }
      rows.push(row);
    }
    return rows;
  }

  /** Formats a configuration as in the tables. */
  function describe(knobs, codes) {
    return knobs
      .map((knob, i) => (codes[i] < 0 ? "" : `${knob.name}=${knob.options[codes[i]]}`))
      .filter((text) => text)
      .join(" ");
  }

  /** Returns the names of the data of a chart and its layers. */
  function listData(spec, found = new Set()) {
    if (spec.data && spec.data.name) found.add(spec.data.name);
    for (const layer of spec.layer || []) listData(layer, found);
    return found;
  }

  function draw(element) {
    const { kernel: index, part, number } = element.dataset;
    const kernel = page.kernels[index];
    const spec = structuredClone(kernel.charts[part][number]);
    spec.datasets = spec.datasets || {};
    let most = 0;
    for (const name of listData(spec))
      if (kernel.data[name]) {
        spec.datasets[name] = makeRows(kernel, name);
        most = Math.max(most, spec.datasets[name].length);
      }
    const renderer = most > mostShapes ? "canvas" : "svg";
    // With `ast`, expressions are interpreted: the page's policy forbids eval.
    return vegaEmbed(element, spec, { actions: false, ast: true, config: page.config, renderer })
      .then(() => { element.dataset.drawn = "true"; })
      .catch((error) => {
        element.textContent = `This chart cannot be drawn: ${error.message}`;
        console.error(error);
      });
  }

  const waiting = new Set(document.querySelectorAll(".chart"));
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries)
      if (entry.isIntersecting && waiting.delete(entry.target)) {
        observer.unobserve(entry.target);
        draw(entry.target);
      }
  }, { rootMargin: "400px" });
  for (const element of waiting) observer.observe(element);

  // A link opens its kernel, and a printed page has all charts of the open ones.
  function openLinked() {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (target && "open" in target) target.open = true;
  }
  window.addEventListener("hashchange", openLinked);
  window.addEventListener("beforeprint", () => {
    for (const element of waiting)
      if (element.offsetWidth && waiting.delete(element)) draw(element);
  });
  openLinked();
})();
