// Light or dark: as the system has it, until the reader chooses. Runs before the first paint, so
// that no page flashes in the wrong colours.

(() => {
  const KEY = "adoube-theme";
  const system = matchMedia("(prefers-color-scheme: dark)");

  // A browser may forbid storage; then the choice lasts as long as the page.
  let chosen = null;
  try {
    chosen = localStorage.getItem(KEY);
  } catch {}

  const apply = () => {
    document.documentElement.dataset.theme = chosen ?? (system.matches ? "dark" : "light");
  };
  system.addEventListener("change", apply);
  apply();

  document.addEventListener("DOMContentLoaded", () => {
    document.getElementById("theme").addEventListener("click", () => {
      chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
      try {
        localStorage.setItem(KEY, chosen);
      } catch {}
      apply();
    });
  });
})();
