// Runs before the first paint, so that the chosen theme and text size never flash.
(function () {
  var theme = null;
  var size = null;
  try {
    theme = localStorage.getItem("recto.theme");
    size = localStorage.getItem("recto.text-size");
  } catch (error) {
    console.warn("Recto: this browser keeps no settings for the page.", error);
  }
  var root = document.documentElement;
  if (theme === '"light"' || theme === '"dark"') root.dataset.theme = theme.slice(1, -1);
  if (size === '"small"' || size === '"large"' || size === '"larger"') root.dataset.textSize = size.slice(1, -1);
})();
