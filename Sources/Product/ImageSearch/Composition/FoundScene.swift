/// What was found in an image, ready to be compared.
struct FoundScene {
  /// The image's width over its height.
  var aspectRatio = 1.0
  /// The class of each object: a position among those of the matcher.
  private(set) var classes: [Int] = []
  private var objects: [ObjectGeometry] = []

  /// An image in which nothing was found.
  init() {}

  /// - Parameter classes: The position of each label's class.
  init(_ composition: Composition, classes: [String: Int]) {
    aspectRatio = composition.aspectRatio
    for object in composition.objects {
      guard let index = classes[object.label] else { continue }
      append(class: index)
      append(ObjectGeometry(object.box, aspectRatio: aspectRatio))
    }
  }

  /// The number of objects.
  var count: Int { classes.count }

  subscript(_ index: Int) -> ObjectGeometry { objects[index] }

  /// Takes all objects away and keeps their memory.
  mutating func removeAll() {
    classes.removeAll(keepingCapacity: true)
    objects.removeAll(keepingCapacity: true)
  }

  /// Adds an object's class; its geometry follows, when it is needed.
  mutating func append(class index: Int) { classes.append(index) }

  /// Adds the next object's geometry.
  mutating func append(_ object: ObjectGeometry) { objects.append(object) }
}
