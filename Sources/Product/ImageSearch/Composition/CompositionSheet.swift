public import Bytes

/// A contact sheet of the wanted layout and the images that fit it, with the detected boxes.
public struct CompositionSheet {
  /// The most images on a sheet.
  public static let imageCount = 47

  private var sheet: ContactSheet
  private var count = 0

  /// Starts a sheet with the wanted layout.
  ///
  /// - Parameters:
  ///   - wanted: The layout.
  ///   - labels: The names of the model's classes, which decide the colors.
  ///   - count: The number of images that will follow, at most ``imageCount``.
  public init(wanted: Composition, labels: [String], count: Int) {
    sheet = ContactSheet(count: min(count, Self.imageCount) + 1)
    let side = Double(sheet.side)
    let width = Int(max(1, min(side, side * wanted.aspectRatio)))
    let height = Int(max(1, min(side, side / wanted.aspectRatio)))
    let background = Image(
      width: width, height: height, pixels: [UInt8](repeating: 225, count: width * height * 3))
    let frames = wanted.objects.map { object in
      ImageAnnotation(
        object.box, label: object.label, colorIndex: labels.firstIndex(of: object.label) ?? 0)
    }
    sheet.add(background.annotated(with: frames), ["wanted"])
  }

  /// Creates a sheet with the wanted layout and the first images that a search has found.
  ///
  /// - Parameter unreadable: Called for each image that can no longer be read, which is left out.
  package init(
    wanted: Composition, results: [CompositionResult], labels: [String],
    unreadable: (WeighbridgeError) -> Void
  ) {
    let shown = results.prefix(Self.imageCount)
    self.init(wanted: wanted, labels: labels, count: shown.count)
    for result in shown {
      do throws(WeighbridgeError) {
        add(try Image(contentsOf: result.path), result)
      } catch {
        unreadable(error)
      }
    }
  }

  /// Adds an image. Only objects that are assigned to wanted ones are labeled.
  public mutating func add(_ image: Image, _ result: CompositionResult) {
    guard count < Self.imageCount else { return }
    count += 1
    let assigned = Set(result.match.assignment.compactMap { $0 })
    let frames = result.detections.enumerated().map { position, detection in
      ImageAnnotation(
        detection.box.clipped, label: assigned.contains(position) ? detection.label ?? "" : "",
        colorIndex: detection.classIndex)
    }
    let name = result.path.split(separator: "/").last.map(String.init) ?? result.path
    let cost = (result.match.cost * 1000).rounded() / 1000
    sheet.add(
      image.scaled(toFit: sheet.side).annotated(with: frames),
      ["\(count). \(name)", "cost \(cost)"])
  }

  /// Writes the sheet, as PNG or JPEG depending on the name's extension.
  ///
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/outputFailed``.
  public func write(to path: String) throws(WeighbridgeError) {
    try sheet.image?.write(to: path)
  }
}
