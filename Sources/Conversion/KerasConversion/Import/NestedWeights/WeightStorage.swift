/// How a file stores the weights of a layer that has others in it.
enum WeightStorage {
  /// In the order of the objects in it, whatever is frozen, as where each object has its own group.
  case objects
  /// In one list, whose order depends on what was frozen, as the file's architecture says.
  case list
  /// In such a list, while the architecture is in another file, which may say something else.
  case listApart
}
