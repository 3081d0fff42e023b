"""Uses the studio in Chromium as people do, with a mouse and a keyboard, and attacks it as others may.

usage: studio_page.py STUDIO SAMPLES [--article FOLDER]

STUDIO is the program weighbridge-studio and SAMPLES the folder that studio-samples made. Needs Debian's chromium
and chromium-driver, and ../../../Tests/Pages/requirements.txt from PyPI.
"""

import argparse
import json
import math
import pathlib
import shutil
import sys
import tempfile

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path += [str(HERE), str(ROOT / "Tests/Pages")]

import attacks
from report_page import Browser
from server import Server

PAGES = ["model", "pictures", "search", "sketch", "style"]
PATIENCE = 600  # seconds until something that must come counts as not coming


class Visit(Browser):
    """Chromium with the studio in it."""

    def __init__(self, address):
        super().__init__()
        self.address = address
        self.origin = address[:address.index("/", len("http://"))]
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
        self.size(1200, 900)

    def go(self, page):
        """Opens a page of the studio."""
        self.driver.get(self.address.rsplit("/", 1)[0] + "/" + page)

    def wait(self, condition):
        """Waits until something is so, and returns it."""
        return WebDriverWait(self.driver, PATIENCE, 0.05).until(lambda _: condition())

    def one(self, selector):
        """The one element of a selector."""
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        """The elements of a selector."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def status(self):
        """What the page says of what it did."""
        return self.one("#status").text

    def choose(self, *paths):
        """Chooses files in the page's field."""
        self.one("#files").send_keys("\n".join(map(str, paths)))

    def drop(self, *paths):
        """Drops files on the page as a file manager does."""
        area = self.one("#drop").rect
        for kind in ["dragEnter", "dragOver", "drop"]:
            self.driver.execute_cdp_cmd("Input.dispatchDragEvent", {
                "type": kind, "x": area["x"] + area["width"] / 2, "y": area["y"] + 10,
                "data": {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}})

    def stroke(self, selector, points):
        """Moves the pressed mouse over points of an element, from its upper left corner inside its border."""
        corner = self.driver.execute_script(
            "const area = arguments[0].getBoundingClientRect();"
            "return [area.left + arguments[0].clientLeft, area.top + arguments[0].clientTop]",
            self.one(selector))
        chain = ActionChains(self.driver, duration=0)
        pointer = chain.w3c_actions.pointer_action
        places = [(round(corner[0] + x), round(corner[1] + y)) for x, y in points]
        pointer.move_to_location(*places[0])
        pointer.pointer_down()
        for place in places[1:]:
            pointer.move_to_location(*place)
        pointer.pointer_up()
        chain.perform()
        return [(x - corner[0], y - corner[1]) for x, y in places]

    def only_own(self, allowed=()):
        """Nothing on the console but what is allowed, and nothing asked for but from the studio."""
        console, requests = self.logs()
        console = [line for line in console if not any(word in line for word in allowed)]
        assert not console, console
        others = [url for url in requests
                  if not url.startswith((self.origin + "/", "data:", "blob:" + self.origin))]
        assert requests and not others, others


def check_model(visit, samples):
    """A model that is dropped is reported; so are two, and a file that is none is named."""
    visit.go("model")
    visit.drop(samples / "models/scene-detector.wbm", samples / "photos/07.png")
    visit.wait(lambda: visit.status().startswith("The report of") or visit.all("#status.error"))
    assert visit.all("iframe"), visit.status()
    visit.driver.switch_to.frame(visit.one("iframe"))
    visit.wait(lambda: visit.all("header .card"))
    words = " ".join(card.text for card in visit.all("header .card"))
    for answer in ["88 \u00d7 88 pixels", "ellipse, rectangle, triangle", "keras 2.15.0"]:
        assert answer in words, f"{answer} is not in the report: {words}"
    assert "triangle" in visit.one("#picture").text
    field = visit.one("#layers input[type=search]")
    field.send_keys("pooling")
    assert visit.visible("#layers tbody tr") == 4
    origin = visit.driver.execute_script("return self.origin")
    assert origin == "null", f"the report has the studio's origin {origin}"
    visit.driver.switch_to.default_content()
    yield "report"
    visit.choose(
        samples / "models/scene-detector.wbm", ROOT / "Samples/Models/scene-detector/scene-detector.h5")
    visit.wait(lambda: "scene-detector.h5:" in visit.status())
    visit.driver.switch_to.frame(visit.one("iframe"))
    assert visit.wait(lambda: visit.all("#differences"))
    visit.driver.switch_to.default_content()
    visit.choose(ROOT / "Samples/Hostile/keras/weights_only.h5")
    visit.wait(lambda: visit.status().startswith("The report of weights_only.h5"))
    visit.choose(ROOT / "README.md")
    visit.wait(lambda: "error" in visit.one("#status").get_attribute("class"))
    assert "README.md" in visit.status(), visit.status()
    assert not visit.all("iframe")


def check_pictures(visit, samples):
    """A detector finds what was drawn, a classifier says what a sketch shows."""
    visit.go("pictures")
    visit.wait(lambda: len(visit.all("#model option")) == 2)
    visit.drop(samples / "photos/07.png")
    visit.wait(lambda: visit.status() == "07.png: 2 objects")
    rows = [row.text for row in visit.all("#found tbody tr")]
    assert len(rows) == 2 and all(row.startswith("triangle") for row in rows), rows
    label = visit.one("#stage canvas").get_attribute("aria-label")
    assert label == "07.png, in which is found: triangle, triangle", label
    yield "pictures"
    Select(visit.one("#model")).select_by_visible_text("sketch-classifier.wbm")
    visit.wait(lambda: visit.one("#found th").text == "Class")
    star = next((samples / "sketches/star").iterdir())
    visit.choose(star)
    visit.wait(lambda: visit.status() == f"{star.name}: star")
    visit.choose(ROOT / "README.md")
    visit.wait(lambda: "JPEG and PNG" in visit.status())


def layout(name):
    """What was drawn in a scene."""
    return json.loads((ROOT / f"Samples/Models/scene-detector/layouts/{name}.json").read_text())


def draw_layout(visit, boxes):
    """Draws boxes with the mouse."""
    for box in boxes:
        Select(visit.one("#label")).select_by_visible_text(box["label"])
        left, top = 400 * box["x"], 400 * box["y"]
        right, bottom = left + 400 * box["width"], top + 400 * box["height"]
        visit.stroke("#layout", [(left, top), ((left + right) / 2, bottom), (right, bottom)])


def results(visit):
    """The names of the photos that are shown."""
    return visit.driver.execute_script(
        "return [...document.querySelectorAll('#results > li')].map((item) => item.dataset.name)")


def first_search(visit):
    """Opens the page and draws a box. Returns the milliseconds until the best photos are shown."""
    visit.go("search")
    visit.wait(lambda: "60 photos" in visit.one("#folder").text)
    draw_layout(visit, layout("07")[:1])
    visit.wait(lambda: visit.status().endswith("ms"))
    return int(visit.one("#results").get_attribute("data-milliseconds"))


def check_search(visit, samples):
    """Boxes that are drawn find the scene that they were taken from; the first search is timed."""
    times = [first_search(visit) for _ in range(6)]
    print(f"the first search: {times} ms from the mouse's release to the best photos on the page (200 are the aim)")
    draw_layout(visit, layout("07")[1:])
    visit.wait(lambda: results(visit)[:1] == ["07.png"] and len(visit.all("#boxes li")) == 2)
    visit.wait(lambda: visit.status().startswith(f"{len(results(visit))} photo"))
    first = visit.one("#results > li")
    for term in ["presence", "relative position", "size", "relative size"]:
        assert term in first.text, first.text
    assert "cost 0." in first.text, first.text
    label = first.find_element(By.TAG_NAME, "canvas").get_attribute("aria-label")
    assert label == "07.png, in which is found: triangle, triangle", label
    yield "search"
    check_search_keyboard(visit)
    check_changing_folder(visit, samples)


def check_search_keyboard(visit):
    """A layout is made without a mouse."""
    visit.one("#clear").send_keys(Keys.ENTER)
    visit.wait(lambda: visit.status() == "Draw a box to search.")
    Select(visit.one("#label")).select_by_visible_text("rectangle")
    visit.one("#add").send_keys(Keys.SPACE)
    numbers = [50.1592, 16.5546, 29.2871, 16.1052]  # the first box of the layout 00
    for field, number in zip(visit.all("#boxes input"), numbers):
        field.send_keys(Keys.CONTROL + "a")
        field.send_keys(f"{number}", Keys.TAB)
    Select(visit.one("#label")).select_by_visible_text("ellipse")
    visit.one("#add").send_keys(Keys.SPACE)
    second = layout("00")[1]
    for field, key in zip(visit.all("#boxes li:last-child input"), ["x", "y", "width", "height"]):
        field.send_keys(Keys.CONTROL + "a")
        field.send_keys(f"{100 * second[key]}", Keys.TAB)
    visit.wait(lambda: results(visit)[:1] == ["00.png"])
    visit.one("#boxes li:last-child button").send_keys(Keys.ENTER)
    visit.wait(lambda: len(visit.all("#boxes li")) == 1)
    field = visit.one("#boxes input")
    field.send_keys(Keys.CONTROL + "a")
    field.send_keys("90", Keys.TAB)
    visit.wait(lambda: "reaches beyond the image" in visit.status())


def check_changing_folder(visit, samples):
    """Photos that come, go and break while they are searched."""
    visit.one("#clear").click()
    photos = samples / "photos"
    shutil.copy(photos / "07.png", photos / "copy.png")
    draw_layout(visit, layout("07"))
    visit.wait(lambda: search_again(visit)[:2] == ["07.png", "copy.png"])
    (photos / "07.png").unlink()
    assert visit.wait(lambda: search_again(visit))[0] == "copy.png"
    (photos / "copy.png").write_bytes((ROOT / "Samples/Pictures/baseline.jpg").read_bytes()[:200])
    visit.wait(lambda: "copy.png" not in search_again(visit))
    visit.wait(lambda: search_again(visit) and "1 cannot be read" in visit.one("#folder").text)
    (photos / "copy.png").unlink()
    shutil.copy(ROOT / "Samples/Models/scene-detector/scenes/07.png", photos / "07.png")
    visit.wait(lambda: search_again(visit)[:1] == ["07.png"])


def search_again(visit):
    """Searches once more, and returns what is found."""
    visit.driver.execute_script(
        "document.querySelector('#results').replaceChildren();"
        "document.querySelector('#status').textContent = '';"
        "document.querySelector('#boxes input').dispatchEvent(new Event('change'))")
    visit.wait(lambda: visit.status() != "")
    return results(visit)


def figure(turns, corners, centre, radius):
    """The points of a polygon whose corners are joined by so many turns."""
    angles = [2 * math.pi * turns * corner / corners - math.pi / 2 for corner in range(corners + 1)]
    ends = [(centre[0] + radius * math.cos(a), centre[1] + radius * math.sin(a)) for a in angles]
    points = []
    for (x, y), (toX, toY) in zip(ends, ends[1:]):
        points += [(x + (toX - x) * step / 8, y + (toY - y) * step / 8) for step in range(9)]
    return points


def check_sketch(visit, samples):
    """A star that is drawn is a star; a picture that is tapped takes its place."""
    visit.go("sketch")
    visit.wait(lambda: visit.status() == "Draw something.")
    drawn = visit.stroke("#paper", figure(2, 5, (200, 190), 120))
    visit.wait(lambda: visit.status().startswith("star"))
    visit.wait(lambda: len(visit.all("#results .pair img")) >= 2)
    labels = visit.driver.execute_script(
        "return [...document.querySelectorAll('#results > li')].map((item) => item.dataset.label)")
    assert len(labels) == 4 and labels[0] == "star", labels
    for item, label in zip(visit.all("#results > li"), labels):
        titles = [one.get_attribute("title") for one in item.find_elements(By.TAG_NAME, "button")]
        assert len(titles) == 2 and all(title.startswith(f"{label}/") for title in titles), titles
        distances = [float(title.split()[-1]) for title in titles]
        assert distances == sorted(distances), titles
    visit.wait(lambda: visit.driver.execute_script(
        "return [...document.querySelectorAll('#results img')].every((one) => one.naturalWidth == 64)"))
    yield "sketch"
    check_tap(visit, drawn)
    visit.one("#clear").click()
    visit.wait(lambda: visit.status() == "Draw something.")
    check_two_strokes(visit)
    check_sketch_keyboard(visit)


def check_tap(visit, drawn):
    """The picture is as large as it can be in the box of the strokes and 5 points around, and centred."""
    visit.one("#results .pair button").click()
    visit.wait(lambda: visit.status().endswith("replaces the drawing."))
    assert not visit.all("#results > li")
    place = json.loads(visit.one("#paper").get_attribute("data-place"))
    xs, ys = zip(*drawn)
    left, right, top, bottom = min(xs) - 5, max(xs) + 5, min(ys) - 5, max(ys) + 5
    side = min(right - left, bottom - top)  # the pictures are square
    want = {"x": (left + right - side) / 2, "y": (top + bottom - side) / 2, "width": side, "height": side}
    for key, value in want.items():
        assert abs(place[key] - value) < 1e-3, (place, want)
    inked = visit.driver.execute_script(
        "const data = arguments[0].getContext('2d').getImageData(0, 0, 400, 400).data;"
        "const found = []; for (let i = 0; i < 160000; i += 1)"
        "if (data[4 * i + 3] > 0) found.push(i % 400, Math.floor(i / 400)); return found", visit.one("#paper"))
    columns, rows = inked[::2], inked[1::2]
    for found, want in [(min(columns), place["x"]), (max(columns) + 1, place["x"] + side),
                        (min(rows), place["y"]), (max(rows) + 1, place["y"] + side)]:
        assert abs(found - want) <= 1, (found, want)


def check_two_strokes(visit):
    """A cross is one of two strokes; the first alone is a line."""
    visit.stroke("#paper", [(100, 200), (150, 200), (200, 200), (250, 201), (300, 200)])
    visit.wait(lambda: visit.status().startswith("line"))
    visit.stroke("#paper", [(200, 100), (200, 150), (201, 200), (200, 250), (200, 300)])
    visit.wait(lambda: visit.status().startswith("cross"))
    visit.one("#undo").click()
    visit.wait(lambda: visit.status().startswith("line"))
    visit.one("#clear").click()


def check_sketch_keyboard(visit):
    """A line is drawn with keys."""
    visit.one("#paper").send_keys(Keys.SPACE, *[Keys.ARROW_RIGHT] * 15, Keys.SPACE)
    visit.wait(lambda: visit.status().startswith("line"))


def check_style(visit, samples):
    """A picture is made of a picture, of the same size."""
    visit.go("style")
    visit.wait(lambda: len(visit.all("#model option")) == 1)
    visit.choose(ROOT / "Samples/Models/softening/wide.png")
    visit.wait(lambda: visit.status() == "wide.png by softening.wbm:")
    sizes = visit.wait(lambda: visit.driver.execute_script(
        "const all = [...document.querySelectorAll('figure img')];"
        "return all.every((one) => one.complete) && all.map((one) => [one.naturalWidth, one.naturalHeight])"))
    assert sizes == [[264, 88], [264, 88]], sizes
    assert visit.one("figure a").get_attribute("download") == "wide-softening.png"
    yield "style"


def look(visit, name, folder):
    """The page in light and dark: axe-core, and a picture for the article."""
    for scheme in ["light", "dark"]:
        visit.scheme(scheme)
        print(f"{name}, {scheme}: axe-core passes {visit.accessible()} rules")
        if folder and scheme == "light":
            visit.size(1200, 700)
            visit.driver.execute_script("scrollTo(0, 0)")
            visit.picture(folder / f"{name}.png")
            visit.size(1200, 900)
    visit.scheme("light")


def check_narrow(visit):
    """The pages fit on a narrow screen."""
    visit.size(360, 700)
    for page in PAGES:
        visit.go(page)
        width = visit.driver.execute_script("return document.documentElement.scrollWidth")
        assert width <= 360, f"{page} is {width} points wide"
    visit.size(1200, 900)


def check_without_token(visit):
    """Without the token there is nothing, in the browser too."""
    visit.driver.get(visit.origin + "/")
    assert "no valid token" in visit.one("body").text
    visit.logs()


def check_pages(visit, samples, folder):
    """Each flow, with what the page looks like in between."""
    for check in [check_model, check_pictures, check_search, check_sketch, check_style]:
        for name in check(visit, samples):
            look(visit, name, folder)
        # The browser itself writes down answers that are errors.
        visit.only_own(allowed=["status of 422", "status of 404"])
    check_narrow(visit)
    visit.only_own()
    check_without_token(visit)


def main():
    """Starts the studio on a copy of the samples, uses it, and attacks it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("studio", type=pathlib.Path)
    parser.add_argument("samples", type=pathlib.Path)
    parser.add_argument("--article", type=pathlib.Path, help="where the article's pictures go")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        samples = pathlib.Path(folder) / "samples"
        shutil.copytree(options.samples, samples)
        with Server(options.studio, samples, pathlib.Path(folder)) as server:
            visit = Visit(server.address)
            try:
                check_pages(visit, samples, options.article)
            finally:
                visit.driver.quit()
            server.check_alive()
        attacks.check(options.studio, samples, pathlib.Path(folder))
    print("passed")


if __name__ == "__main__":
    main()
