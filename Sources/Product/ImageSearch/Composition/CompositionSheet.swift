public import Bytes
import Vision

/// The wanted layout and the images that fit it, with the boxes that were found, on one page.
public struct CompositionSheet {
  /// The most images on a sheet.
  public static let imageCount = 47

  private static let tile = (width: 200.0, height: 190.0)
  private static let imageHeight = 160.0
  private let columns: Int
  private var graphic: Graphic
  private var count = 0

  /// Begins a sheet with the wanted layout.
  ///
  /// - Parameters:
  ///   - wanted: The layout.
  ///   - labels: The names of the model's classes, which decide the colors.
  ///   - count: How many images will follow, at most ``imageCount``.
  public init(wanted: Composition, labels: [String], count: Int) {
    let tiles = min(count, Self.imageCount) + 1
    columns = min(tiles, 6)
    graphic = Graphic(
      width: columns * Int(Self.tile.width),
      height: (tiles + columns - 1) / columns * Int(Self.tile.height))
    let area = nextArea(aspectRatio: wanted.aspectRatio, lines: ["wanted"])
    graphic.add(.rectangle(area, Graphic.Color(gray: 225)))
    for object in wanted.objects {
      let index = labels.firstIndex(of: object.label) ?? 0
      draw(object.box, object.label, classIndex: index, thickness: 3, in: area)
    }
  }

  /// Adds an image. Its objects that stand for wanted ones have thick frames.
  public mutating func add(_ image: Image, _ result: CompositionResult) {
    guard count <= Self.imageCount else { return }
    let name = result.path.split(separator: "/").last.map(String.init) ?? result.path
    let cost = (result.match.cost * 1000).rounded() / 1000
    let area = nextArea(
      aspectRatio: Double(image.width) / Double(image.height),
      lines: ["\(count). \(name)", "cost \(cost)"])
    graphic.add(.image(area, image.resized(width: Int(area.width), height: Int(area.height))))
    let assigned = Set(result.match.assignment.compactMap { $0 })
    for (position, detection) in result.detections.enumerated() {
      draw(
        detection.box.clipped, detection.label ?? "", classIndex: detection.classIndex,
        thickness: assigned.contains(position) ? 3 : 1, in: area)
    }
  }

  /// Writes the sheet, as PNG or JPEG by the name's extension.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  public func write(to path: String) throws(WeighbridgeError) {
    try graphic.image.write(to: path)
  }

  /// The area of the next image, centred in its tile, under which the lines are written.
  private mutating func nextArea(aspectRatio: Double, lines: [String]) -> Graphic.Area {
    let (left, top) = (
      Double(count % columns) * Self.tile.width, Double(count / columns) * Self.tile.height
    )
    count += 1
    for (number, line) in lines.enumerated() {
      let text = Graphic.shortened(line, to: Self.tile.width - 10)
      let y = top + Self.imageHeight + 6 + Double(number) * 12
      graphic.add(.text(text, x: left + 5, y: y, Graphic.Color(gray: 0)))
    }
    let room = (width: Self.tile.width - 10, height: Self.imageHeight - 5)
    let width = max(1, min(room.width, room.height * aspectRatio).rounded(.down))
    let height = max(1, min(room.height, room.width / aspectRatio).rounded(.down))
    return Graphic.Area(
      x: left + ((Self.tile.width - width) / 2).rounded(.down),
      y: top + ((Self.imageHeight - height) / 2).rounded(.down), width: width, height: height)
  }

  private mutating func draw(
    _ box: Box, _ label: String, classIndex: Int, thickness: Int, in area: Graphic.Area
  ) {
    let color = Graphic.Color(classIndex: classIndex)
    let frame = Graphic.Area(
      x: area.x + box.x * area.width, y: area.y + box.y * area.height,
      width: box.width * area.width, height: box.height * area.height)
    graphic.add(.outline(frame, color, thickness: thickness))
    let text = Graphic.shortened(label, to: frame.width - 8)
    guard !text.isEmpty, frame.height > Graphic.textHeight + 6 else { return }
    let ground = Graphic.Area(
      x: frame.x + 3, y: frame.y + 3, width: Graphic.textWidth(text) + 3,
      height: Graphic.textHeight + 1)
    graphic.add(.rectangle(ground, Graphic.Color(gray: 255)))
    graphic.add(.text(text, x: frame.x + 5, y: frame.y + 4, Graphic.Color(gray: 0)))
  }
}
