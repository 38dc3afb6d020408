/**
 * Typing over a selection, done here. A browser that does it joins the lines itself and takes only what they show: the
 * syntax that a line hides, and a formula that it draws, would be gone from the text.
 */
import { EditorView } from "@codemirror/view";

export const typingOver = EditorView.domEventHandlers({
  beforeinput: ({ inputType, data }, view) => {
    const { state } = view;
    const { main } = state.selection;
    if (inputType !== "insertText" || data === null || main.empty || state.readOnly || view.composing) return false;
    const insert = () => state.update(state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    const isTaken = state.facet(EditorView.inputHandler).some((handle) => handle(view, main.from, main.to, data, insert));
    if (!isTaken) view.dispatch(insert());
    return true;
  },
});
