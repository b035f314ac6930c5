<?php
/** Removes what the plugin keeps about itself. The posts stay, and so do their pictures. */

if (!defined('WP_UNINSTALL_PLUGIN')) {
    exit;
}

foreach (['settings', 'last_event', 'last_failure', 'catch_up', 'dismissed', 'probe'] as $name) {
    delete_option("postrider_$name");
}
